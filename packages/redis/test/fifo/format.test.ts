import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { hashOf, point } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import format1 from './format-1.json' with { type: 'json' };
import format3 from './format-3.json' with { type: 'json' };

const formats = [
  { format: 1, sample: format1 },
  { format: 3, sample: format3 },
] as const;
/** An operation id that the stored pool has, repeated for another call (X2). */
const otherArguments = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'operationId' } };

/** Writes the stored pool under a prefix of its own: commands with the key's name, then arguments in base64. */
async function restored(sample: readonly string[][]) {
  const url = inject('redisUrl');
  const prefix = randomUUID();
  const admin = operator(url);
  for (const [command, key, ...args] of sample)
    await admin.call(command as string, `{${prefix}}:${key}`, ...args.map((arg) => Buffer.from(arg, 'base64')));
  return openPool({ url, keyPrefix: prefix, pool: 'sample' });
}

test.for(formats)('N2: a pool stored in format $format is read as it was', async ({ sample }) => {
  const { store } = await restored(sample);
  expect(await store.usage()).toEqual({
    pending: 4,
    propagated: 0,
    acknowledged: 0,
    confirmed: 2,
    logged: 5,
    lastLogSeq: 5,
    lastSeq: 10,
    lastEventSeq: 30,
  });
  const tip = { point: point(6), tick: 6, points: [6, 5, 4, 3].map(point) };
  expect(await store.tip({ points: 10 })).toEqual(tip);
  const pending = await store.peekPending();
  expect(pending.map(({ hash, seq }) => [hash, seq])).toEqual([
    [hashOf(6), 6],
    [hashOf(7), 7],
    [hashOf(8), 9],
    [hashOf(9), 10],
  ]);
  expect(await store.checkStatus([2, 3, 4, 5, 8, 99].map(hashOf))).toMatchObject([
    { stage: 'Dropped', nonConfirmations: 4, reason: 'stale' },
    { stage: 'Finalized', confirmations: 6, confirmedAt: point(1) },
    { stage: 'Confirmed', confirmations: 4, confirmedAt: point(3) },
    { stage: 'Confirmed', confirmations: 1, confirmedAt: point(6) },
    { stage: 'Pending' },
    { stage: 'Unknown' },
  ]);
  expect((await store.dumpFinalized()).entries).toMatchObject([
    { logSeq: 1, hash: hashOf(8), stage: 'Dropped', reason: 'ünwanted', payloadType: 8 },
    { logSeq: 2, hash: hashOf(1), stage: 'Dropped', reason: 'stale' },
    { logSeq: 3, hash: hashOf(2), stage: 'Dropped', reason: 'stale' },
    { logSeq: 4, hash: hashOf(5), stage: 'Dropped', reason: 'stale' },
    { logSeq: 5, hash: hashOf(3), stage: 'Finalized', point: point(1) },
  ]);
});

test.for(formats)(
  'N2: a pool stored in format $format goes on: ids, events, sightings, rollback',
  async ({ sample }) => {
    const { store } = await restored(sample);
    const marked = [1, 2, 3, 4, 5].map(hashOf);
    const mark = (hashes: string[]) => store.markInflight(hashes, { operationId: 'mark' });
    expect(await mark(marked)).toEqual(marked);
    await expect(mark([hashOf(6)])).rejects.toMatchObject(otherArguments);
    const block = (n: number) =>
      store.confirm({ point: point(n), seen: [], unseen: [] }, {}, { operationId: 'block 6' });
    expect(await block(6)).toMatchObject({ kind: 'applied', tip: { point: point(6) }, finalized: 1 });
    await expect(block(7)).rejects.toMatchObject(otherArguments);
    const events = (await store.subscribe({ after: 29 }))[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ eventSeq: 30, hash: hashOf(9), stage: 'Pending' });
    const late = { hash: hashOf(99), payload: Buffer.from('99'), payloadType: 0 };
    expect(await store.receive([late])).toMatchObject([{ kind: 'received', seq: 11, stage: 'Confirmed' }]);
    expect(await store.rollback(point(3))).toMatchObject({ kind: 'rolled-back', undone: 3, returned: 1 });
    expect(await store.confirm({ point: point(8), seen: [], unseen: [] })).toMatchObject({
      kind: 'applied',
      tip: { tick: 4 },
    });
  },
);
