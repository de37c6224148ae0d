import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { MempoolStore } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, pointOf, transaction } from '../numbered.ts';
import { fillSample, first, goOn, marked, observe, received } from './sample.ts';

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url));
}

function sample(): string {
  const path = join(scratchFolder(), 'pool.db');
  writeFileSync(path, gunzipSync(fixture('format-1.db.gz')));
  return path;
}

/** Repeats the sample's own calls: each answers what it did first, and its operation id serves for no other call (X2). */
async function repeat(store: MempoolStore): Promise<void> {
  const receiveId = { operationId: 'first receive' };
  const markId = { operationId: 'mark' };
  const blockId = { operationId: 'block' };
  const refused = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'operationId' } };
  const before = await store.usage();
  const outcomes = received.map(({ hash }, i) => ({ kind: 'received', hash, seq: i + 1, stage: 'Pending' }));
  expect(await store.receive(received, receiveId)).toMatchObject(outcomes);
  expect(await store.markInflight(marked, markId)).toEqual(marked);
  expect(await store.confirm(first, {}, blockId)).toMatchObject({ kind: 'applied', tip: { point: first.point } });
  await expect(store.receive([transaction(0)], receiveId)).rejects.toMatchObject(refused);
  await expect(store.markInflight([hashOf(19)], markId)).rejects.toMatchObject(refused);
  await expect(store.confirm({ ...first, point: pointOf(9) }, {}, blockId)).rejects.toMatchObject(refused);
  expect(await store.usage()).toEqual(before);
}

for (const backend of [sqlite, sqliteExclusive]) {
  test(`N2: ${backend.name} reads a file that format 1 left behind`, async () => {
    await using store = await backend.open({ path: sample() });
    expect(await observe(store)).toEqual(JSON.parse(fixture('format-1.json').toString()));
  });

  test(`X2: ${backend.name} answers the operation ids of such a file`, async () => {
    await using store = await backend.open({ path: sample() });
    await repeat(store);
  });

  test(`D1: ${backend.name} goes on from such a file as from one of its own`, async () => {
    await using old = await backend.open({ path: sample() });
    await using own = await backend.open({ path: join(scratchFolder(), 'pool.db'), maxFinalized: 3, maxRollback: 2 });
    await fillSample(own);
    expect(await goOn(old)).toEqual(await goOn(own));
  });
}
