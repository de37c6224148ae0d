import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { MempoolStore } from 'mempool-core';
import { encodeValue, formatVersion, poolState } from 'mempool-core/backend';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { journal } from '../src/index.ts';
import { encodeRecord } from '../src/record.ts';

const filePath = () => join(scratchFolder(), 'pool.journal');

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

function receive(store: MempoolStore, n: number, payload: Uint8Array = Buffer.alloc(100, n)): Promise<unknown> {
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

test('D1: a last record of which a power cut left zeros is cut off, and said', async () => {
  const path = filePath();
  const first = await twoCalls(path);
  const file = readFileSync(path);
  writeFileSync(path, file.fill(0, first));
  const said: unknown[] = [];
  await using store = await journal.open({ path, log: (level, _, fields) => said.push([level, fields?.tornBytes]) });
  expect(await store.usage()).toMatchObject({ pending: 1, lastSeq: 1 });
  expect(said).toEqual([['warn', file.length - first]]);
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

test('D1: a payload that holds a journal is not taken for a record behind a torn one', async () => {
  const path = filePath();
  const first = await twoCalls(path);
  const inner = readFileSync(path);
  const outer = filePath();
  {
    await using store = await journal.open({ path: outer });
    await receive(store, 1, inner.subarray(first));
  }
  writeFileSync(outer, readFileSync(outer).subarray(0, -1));
  expect(await pending(outer)).toEqual([]);
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

test('a pool by priority is made shorter too, with its verdicts, limits, tags and claims', async () => {
  const path = filePath();
  const options = { path, ordering: 'priority', maxFinalized: 5, maxEvents: 20, now: () => 1_000 } as const;
  const payload = Buffer.alloc(100);
  const verdict = { priority: 7n, requires: ['missing'] };
  let before: unknown;
  {
    await using store = await journal.open({ ...options, maxPerSender: 9 });
    await store.receive([
      { hash: hashOf(1), payload, payloadType: 0, verdict },
      { hash: hashOf(2), payload, payloadType: 0 },
    ]);
    await store.take({ maxTxs: 1 }, { owner: 'one', claimMs: 5_000 });
    await store.confirm({ point: { slot: 1, hash: hashOf(1) }, seen: [], unseen: [], provides: ['spent'] });
    for (let n = 3; n <= 200; n++) {
      await receive(store, n);
      await store.drop([hashOf(n)], 'failed');
    }
    before = await poolState(store);
    expect(statSync(path).size).toBeLessThan(100_000);
  }
  await using store = await journal.open(options);
  expect(await poolState(store)).toEqual(before);
  expect(before).toMatchObject({ limits: { maxPerSender: 9 }, satisfied: [['spent', 1]] });
  expect((await store.peekParked()).transactions.map(({ hash }) => hash)).toEqual([hashOf(1)]);
});

test('a pool keeps the ordering that it was made with', async () => {
  const path = filePath();
  await twoCalls(path);
  const opening = journal.open({ path, ordering: 'priority' });
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
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

test('M3: at the end of the room a call is refused as full and changes nothing; the file is sound', async () => {
  const path = filePath();
  const { received, code, usage } = JSON.parse(await elsewhere('fill-it', path, 'ulimit -f 64; '));
  expect(code).toBe('ERR_MEMPOOL_STORE_FULL');
  expect(received).toBeGreaterThan(10);
  expect(usage).toMatchObject({ pending: received, lastSeq: received, lastEventSeq: received });
  expect((await pending(path)).length).toBe(Math.min(100, received));
  await using store = await journal.open({ path });
  expect(await store.usage()).toEqual(usage);
  await receive(store, received + 1);
  expect(await store.usage()).toMatchObject({ lastSeq: received + 1 });
});

test('a path in a directory that does not exist is refused by name', async () => {
  const opening = journal.open({ path: `${filePath()}/no/where` });
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
});

/** Runs a program of this folder on the file, in a process of its own. */
async function elsewhere(program: string, path: string, before = ''): Promise<string> {
  const file = fileURLToPath(new URL(`./${program}.ts`, import.meta.url));
  const command = `${before}exec "$0" --conditions=mempool-source "$1" "$2"`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command, process.execPath, file, path]);
  return stdout.trim();
}
