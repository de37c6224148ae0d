import { expect, inject, test } from 'vitest';
import { readLua } from '../../src/connection/lua-text.ts';
import { operator } from '../own-server.ts';

/** Runs an expression with what lua/pool/entry.lua has. `bytes`: ARGV[1]. */
async function run(expression: string, bytes: Buffer): Promise<Buffer> {
  const answer = await operator(inject('redisUrl')).callBuffer(
    'EVAL',
    `${readLua('pool/entry.lua')}\nreturn ${expression}`,
    '0',
    bytes,
  );
  return answer as Buffer;
}

const entry = Buffer.from([0x91, 1, 2, 3]);
const received = 1_700_000_000_000;

function whole(receivedAt: number, attempts: number, sentAt: number): Buffer {
  const facts = Buffer.alloc(15);
  facts.writeUIntBE(receivedAt, 1, 6);
  facts.writeUInt16BE(attempts, 7);
  facts.writeUIntBE(sentAt, 9, 6);
  return Buffer.concat([facts, entry]);
}

const latest = 2 ** 48 - 1;

test.for([
  ['that never went out', [received, 0, 0], 7],
  ['that came back', [received, 1, 0], 7],
  ['that went out at once', [received, 1, received], 8],
  ['that went out within a minute', [received, 1, received + 65_535], 9],
  ['that went out later', [received, 1, received + 65_536], 10],
  ['that went out again', [received, 2, received + 255], 10],
  ['that went out as often as is counted', [received, 65_535, received + 2 ** 32 - 1], 13],
  ['that went out after many years', [received, 1, received + 2 ** 32], 13],
  ['that went out before it came', [received, 1, received - 1], 13],
  ['at the end of time', [latest, 1, latest], 8],
  ['from the begin of time to its end', [1, 65_535, latest], 15],
] as const)(
  'O8: the facts of an entry %s are stored in few bytes',
  async ([, [receivedAt, attempts, sentAt], bytes]) => {
    const facts = whole(receivedAt, attempts, sentAt);
    const packed = await run('packEntry(ARGV[1])', facts);
    expect(packed.length).toBe(bytes + entry.length);
    expect(await run('wholeEntry(ARGV[1])', packed)).toEqual(facts);
  },
);

test.for([
  ['no bytes', Buffer.alloc(0)],
  ['too few bytes', Buffer.of(5, 0, 0, 0, 0, 0, 0)],
  ['an unknown mark', Buffer.alloc(30, 0x7f)],
  ['the mark 0', Buffer.alloc(30)],
] as const)('M2: an entry of %s has no facts', async ([, packed]) => {
  expect(await run('wholeEntry(ARGV[1])', packed)).toEqual(Buffer.concat([Buffer.alloc(15), packed]));
});
