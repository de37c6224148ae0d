import { defaultRetention, type Transaction } from 'mempool-core';
import {
  defineBackend,
  type PriorityMemoryParts,
  PriorityPool,
  priorityMemoryDriver,
  type Step,
} from 'mempool-core/backend';
import { expect, test } from 'vitest';

const hash = 'ab'.repeat(32);
const transaction = { hash, payload: Buffer.from([1]), payloadType: 0 };

function opened(commit: PriorityMemoryParts['commit']) {
  const backend = defineBackend({
    name: 'kept',
    capabilities: { durable: false, shared: false, lease: false, priority: true, records: false, import: false },
    open(options) {
      const pool = new PriorityPool({ epoch: 'one', retention: defaultRetention, limits: options.limits });
      return priorityMemoryDriver({ pool, options, commit, close: () => undefined });
    },
  });
  return backend.open({ ordering: 'priority' });
}

test('X1: where a step is not kept the call fails, and the pool is as it was', async () => {
  await using store = await opened(() => {
    throw new Error('no room');
  });
  await expect(store.receive([transaction])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
  expect(await store.usage()).toMatchObject({ pending: 0, lastSeq: 0, lastEventSeq: 0, load: { transactions: 0 } });
});

test('every step that changes the pool is kept, an answer is not, and replayed they make the same pool', async () => {
  const kept: Step<unknown>[] = [];
  await using store = await opened((step) => {
    kept.push(step);
  });
  await store.receive([{ ...transaction, verdict: { priority: 3n } }], { operationId: 'one' });
  await store.receive([transaction]);
  await store.markInflight([hash]);
  await store.markInflight([hash]);
  await store.setLimits({ maxTxs: 5 });
  expect(kept).toHaveLength(3);

  const again = new PriorityPool({ epoch: 'one', retention: defaultRetention, limits: {} });
  for (const step of kept) again.replay(step);
  again.restored();
  expect(again.memory.findOperation('receive', { operationId: 'one' })?.outcome).toMatchObject([
    { kind: 'received', seq: 1 },
  ]);
  const { epoch: _, cursors: __, ...usage } = await store.usage();
  expect(again.usage()).toMatchObject(usage);
});

test('a commit that is asynchronous is refused when the pool is opened', async () => {
  // @ts-expect-error a promise is not waited for
  const opening = opened(async () => undefined);
  await expect(opening).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_INTERNAL',
    message: expect.stringMatching('must be synchronous'),
  });
});

test('a commit that answers with a promise fails its call, and the pool is as it was', async () => {
  // @ts-expect-error a promise is not waited for
  await using store = await opened(() => Promise.reject(new Error('the disk is full')));
  await expect(store.receive([transaction])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
  expect(await store.usage()).toMatchObject({ pending: 0, load: { transactions: 0 } });
});

test('M1: a step that is kept for a while has bytes that no caller changes', async () => {
  const kept: Step<unknown>[] = [];
  await using store = await opened((step) => {
    kept.push(step);
  });
  const payload = new Uint8Array([1, 2]);
  await store.receive([{ ...transaction, payload }]);
  payload.fill(9);
  expect([...(kept[0]?.writes[0]?.body?.payload ?? [])]).toEqual([1, 2]);
});

/** Returns where the bytes are now. */
function giveAway(body: Transaction | null | undefined): Uint8Array {
  if (!body) throw new Error('a step without bytes');
  return new Uint8Array((body.payload.buffer as ArrayBuffer).transfer());
}

test('X1: where the bytes of a step were given away while it was kept, the pool stays as it was', async () => {
  let given: readonly Uint8Array[] = [];
  let lost = true;
  await using store = await opened((step) => {
    if (lost) given = step.writes.map(({ body }) => giveAway(body));
  });
  // Small ones share a buffer that cannot be given away.
  const large = { ...transaction, payload: new Uint8Array(100_000) };
  const other = { ...large, hash: 'cd'.repeat(32) };
  await expect(store.receive([other, large])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
  expect(given.map(({ length }) => length)).toEqual([100_000, 100_000]);
  expect(await store.usage()).toMatchObject({ pending: 0, lastSeq: 0, lastEventSeq: 0, load: { transactions: 0 } });
  lost = false;
  await store.receive([large]);
  expect(await store.reap({})).toMatchObject([{ hash }]);
});

test('X1: a step whose bytes were given away is replayed not at all', async () => {
  const kept: Step<unknown>[] = [];
  await using store = await opened((step) => {
    kept.push(step);
  });
  const large = { ...transaction, payload: new Uint8Array(100_000) };
  await store.receive([{ ...large, hash: 'cd'.repeat(32) }, large]);
  giveAway(kept[0]?.writes[1]?.body);
  const again = new PriorityPool({ epoch: 'one', retention: defaultRetention, limits: {} });
  const before = [...again.dump()];
  expect(() => again.replay(kept[0] as Step<unknown>)).toThrow(/cannot be read/);
  expect([...again.dump()]).toEqual(before);
});
