import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Mempool } from 'mempool-core';
import { encodeValue, formatVersion } from 'mempool-core/backend';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { journal } from '../src/index.ts';
import { encodeRecord } from '../src/record.ts';

const filePath = () => join(scratchFolder(), 'pool.journal');

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

function receive(store: Mempool, n: number, payload: Uint8Array = Buffer.alloc(100, n)): Promise<unknown> {
  return store.receive([{ hash: hashOf(n), payload, payloadType: 0 }]);
}

async function pending(path: string): Promise<number[]> {
  await using store = await journal.open({ path });
  return (await store.peekPending()).transactions.map(({ seq }) => seq);
}

/** A journal of two calls, and how long it was after the first. */
async function twoCalls(path: string): Promise<number> {
  await using store = await journal.open({ path });
  await receive(store, 1);
  const first = statSync(path).size;
  await receive(store, 2);
  return first;
}

test('D1: a file that ends anywhere inside the last record has all the calls before it, and goes on', async () => {
  const path = filePath();
  const first = await twoCalls(path);
  const whole = readFileSync(path);
  for (let bytes = first; bytes < whole.length; bytes += 7) {
    writeFileSync(path, whole.subarray(0, bytes));
    expect(await pending(path)).toEqual([1]);
    expect(statSync(path).size).toBe(first);
  }
  await using store = await journal.open({ path });
  await receive(store, 3);
  expect((await store.peekPending()).transactions.map(({ hash }) => hash)).toEqual([hashOf(1), hashOf(3)]);
});

test('M2: a flipped bit before the last record is refused as damage, wherever it is, and the file is left alone', async () => {
  const path = filePath();
  const first = await twoCalls(path);
  const sound = readFileSync(path);
  for (let at = 8; at < first; at += 5) {
    const damaged = Buffer.from(sound);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    writeFileSync(path, damaged);
    await expect(journal.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
    expect(readFileSync(path).equals(damaged)).toBe(true);
  }
});

test('the file is made shorter when most of it is history, and nothing is lost by it', async () => {
  const path = filePath();
  let longest = 0;
  {
    await using store = await journal.open({ path, maxFinalized: 5, maxEvents: 20 });
    for (let n = 1; n <= 400; n++) {
      await receive(store, n);
      if (n > 3) await store.drop([hashOf(n)], 'failed');
      longest = Math.max(longest, statSync(path).size);
    }
    expect(longest).toBeLessThan(100_000);
  }
  await using store = await journal.open({ path });
  expect(await store.usage()).toMatchObject({
    pending: 3,
    logged: 5,
    lastLogSeq: 397,
    lastSeq: 400,
    lastEventSeq: 797,
  });
  expect((await store.dumpFinalized()).entries.map(({ seq }) => seq)).toEqual([396, 397, 398, 399, 400]);
});

test('D1: what a kill left of a shorter file that was never finished is not looked at', async () => {
  const path = filePath();
  await twoCalls(path);
  writeFileSync(`${path}.new`, 'half a jour');
  expect(await pending(path)).toEqual([1, 2]);
  await using store = await journal.open({ path });
  for (let n = 3; n < 600; n++) await receive(store, n);
  expect(readdirSync(dirname(path)).filter((name) => !name.endsWith('.lock'))).toEqual(['pool.journal']);
});

test('a second store on the file is refused, in this process and in another, until the first is closed', async () => {
  const path = filePath();
  const first = await journal.open({ path });
  await expect(journal.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_IN_USE' });
  expect(await elsewhere('open-it', path)).toBe('ERR_MEMPOOL_IN_USE');
  await first.close();
  expect(await elsewhere('open-it', path)).toBe('opened');
  expect(readdirSync(dirname(path))).toEqual(['pool.journal']);
});

test('N2: the file of another program, of another pool or of another format is refused and left as it is', async () => {
  const foreign = filePath();
  writeFileSync(foreign, 'a letter to my mother');
  await expect(journal.open({ path: foreign })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  expect(readFileSync(foreign, 'utf8')).toBe('a letter to my mother');

  const path = filePath();
  await twoCalls(path);
  const torn = readFileSync(path).subarray(0, -1);
  writeFileSync(path, torn);
  await expect(journal.open({ path, pool: 'other' })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  expect(readFileSync(path).equals(torn)).toBe(true);

  for (const format of [formatVersion - 1, formatVersion + 1]) {
    const record = encodeRecord(encodeValue({ kind: 'pool', format, name: 'mempool' }), 8);
    writeFileSync(path, Buffer.concat([torn.subarray(0, 8), record]));
    await expect(journal.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  }
});

/** Runs a program of this folder on the file, in a process of its own. */
async function elsewhere(program: string, path: string, before = ''): Promise<string> {
  const file = fileURLToPath(new URL(`./${program}.ts`, import.meta.url));
  const command = `${before}exec "$0" --conditions=mempool-source "$1" "$2"`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command, process.execPath, file, path]);
  return stdout.trim();
}
