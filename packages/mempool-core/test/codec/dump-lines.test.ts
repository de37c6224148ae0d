import { type DumpedPart, decodeDump, encodeDump, isMempoolError } from 'mempool-core';
import { describe, expect, it } from 'vitest';

const hash = 'ab'.repeat(32);
const facts = { receivedAt: 1, attempts: 0, sentAt: null };
const after = { hash, seq: 1, stage: 'Pending', tick: 0, confirmations: 0, nonConfirmations: 0, reason: null } as const;
const body = { hash, payload: Uint8Array.of(0, 255), payloadType: 6 };
const base = { kind: 'base', tick: 0, floor: 1, lastSeq: 1, trimmedLog: 0, trimmedEvents: 0, lastAt: 0 } as const;
const content: readonly DumpedPart[] = [
  { ...base, fifo: { maxTxs: Number.POSITIVE_INFINITY, lots: [] } },
  { kind: 'limits', limits: { maxTxGas: Number.POSITIVE_INFINITY, eviction: 'none' } },
  { kind: 'write', write: { after: { ...after, facts }, point: null, body } },
  { kind: 'record', record: { name: 'never', version: 1, value: new Uint8Array() } },
];

async function read(lines: Iterable<string>): Promise<DumpedPart[]> {
  const parts: DumpedPart[] = [];
  for await (const part of (await decodeDump(lines)).content) parts.push(part);
  return parts;
}

async function refusal(lines: Iterable<string>): Promise<string> {
  try {
    await read(lines);
  } catch (error) {
    if (isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === 'dump') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the lines of a dump', () => {
  const lines = [...encodeDump({ ordering: 'fifo', content })];
  const [header = '', ...rest] = lines;

  it('are JSON, and give the same parts', async () => {
    expect(lines).toHaveLength(content.length + 2);
    for (const line of lines) expect(line).not.toContain('\n');
    expect((await decodeDump(lines)).ordering).toBe('fifo');
    expect(await read(lines)).toEqual(content);
  });

  it('have big numbers as text', async () => {
    const verdict = { priority: 2n ** 63n - 1n };
    const entry = { kind: 'entry', entry: { hash, verdict } } as unknown as DumpedPart;
    expect(await read(encodeDump({ ordering: 'priority', content: [entry] }))).toEqual([entry]);
  });

  const replaced = (i: number, line: string): string[] => lines.with(i, line);
  it.each([
    ['nothing', [], 1],
    ['no header', rest, 1],
    ['another version', replaced(0, header.replace('"version":1', '"version":2')), 1],
    ['another ordering', replaced(0, header.replace('fifo', 'else')), 1],
    ['no JSON', replaced(2, '{'), 3],
    ['no object', replaced(2, '5'), 3],
    ['no base64', replaced(3, (lines[3] ?? '').replace('AP8=', 'A?')), 4],
    ['no end', lines.slice(0, -1), lines.length - 1],
    ['a line less', lines.toSpliced(2, 1), lines.length - 1],
    ['a line behind the end', [...lines, lines[1] ?? ''], lines.length + 1],
  ])('with %s are refused, with the number of the line', async (_, broken, number) => {
    expect(await refusal(broken)).toContain(`line ${number} of the dump`);
  });
});
