import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as writer from 'cardano-chains/cbor';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { maxDepth } from '../../src/bytes/cbor-walker.ts';

const mebibyte = 1024 * 1024;
const heapMiB = 64;
/** Node itself, the heap allowed, and a few times the bytes of the largest block that is read. */
const mostMiB = 320;

const chunkFile = new URL('../../src/block/chunk-file.ts', import.meta.url).href;
const program = `
  import { readChunkFile } from ${JSON.stringify(chunkFile)};
  const message = await Array.fromAsync(readChunkFile(process.argv[1])).then(() => 'read', (error) => error.message);
  console.log(JSON.stringify({ message, usedMiB: process.resourceUsage().maxRSS / 1024 }));`;

interface Reading {
  readonly message: string;
  readonly usedMiB: number;
}

/** Reads the file in a process that dies where it takes more heap. */
async function readApart(bytes: Uint8Array): Promise<Reading> {
  const path = join(scratchFolder(), 'made-up.chunk');
  await writeFile(path, bytes);
  const limits = [`--max-old-space-size=${heapMiB}`, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, [...limits, path]);
  return JSON.parse(stdout) as Reading;
}

function filled(item: number, length: number): Uint8Array {
  return Buffer.alloc(length, item);
}

/** An array of so many empty maps. */
function emptyMaps(count: number): Uint8Array {
  return Buffer.concat([Buffer.of(0x9a), uint32(count), filled(0xa0, count)]);
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const hash = writer.byteString(Buffer.alloc(32));
const header = writer.array([
  writer.array([writer.unsigned(1), writer.unsigned(2), hash]),
  writer.byteString(Buffer.alloc(8)),
]);
const none = { maps: writer.map([]), array: writer.array([]) };

function block(bodies: Uint8Array, witnesses: Uint8Array, invalid: Uint8Array): Uint8Array {
  return writer.array([writer.unsigned(7), writer.array([header, bodies, witnesses, none.maps, invalid])]);
}

const many = 6 * mebibyte;

test.each([
  ['arrays in one another', filled(0x81, 15 * mebibyte), `more than ${maxDepth} levels deep`],
  ['arrays in one another, without a length', filled(0x9f, 40 * mebibyte), `more than ${maxDepth} levels deep`],
  ['tags on tags', filled(0xc1, 15 * mebibyte), 'not a block'],
  ['a block without an end', Buffer.concat([Buffer.of(0x9f), filled(0x00, 40 * mebibyte)]), 'without an end'],
  ['millions of transactions', block(emptyMaps(many), emptyMaps(many), none.array), 'more than 65536 items'],
  ['millions of invalid indexes', block(none.array, none.array, emptyMaps(many)), 'more than 0 items'],
  ['parts without number', writer.array([writer.unsigned(7), emptyMaps(many)]), 'five parts'],
])('%s are refused in one line, with the place, within bounded memory', async (_, bytes, named) => {
  const { message, usedMiB } = await readApart(bytes);
  expect(message).toContain(named);
  expect(message).toMatch(/^.*made-up\.chunk, byte \d+: .*$/);
  expect(usedMiB).toBeLessThan(mostMiB);
});
