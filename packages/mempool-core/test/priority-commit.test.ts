import { defaultRetention, defineBackend, PriorityPool, priorityLedgerDriver, type Step } from 'mempool-core';
import { expect, test } from 'vitest';

const hash = 'ab'.repeat(32);
const transaction = { hash, payload: Buffer.from([1]), payloadType: 0 };

function opened(commit: (step: Step<unknown>) => void) {
  const backend = defineBackend({
    name: 'kept',
    capabilities: { durable: false, shared: false, lease: false, priority: true },
    open(options) {
      const pool = new PriorityPool({ epoch: 'one', retention: defaultRetention, limits: options.limits });
      return priorityLedgerDriver({ pool, options, commit, close: () => undefined });
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
  await using store = await opened((step) => kept.push(step));
  await store.receive([{ ...transaction, verdict: { priority: 3n } }], { operationId: 'one' });
  await store.receive([transaction]);
  await store.markInflight([hash]);
  await store.markInflight([hash]);
  await store.setLimits({ maxTxs: 5 });
  expect(kept).toHaveLength(3);

  const again = new PriorityPool({ epoch: 'one', retention: defaultRetention, limits: {} });
  for (const step of kept) again.replay(step);
  again.restored();
  expect(again.ledger.findOperation('receive', 'one')?.outcome).toMatchObject([{ kind: 'received', seq: 1 }]);
  expect(again.usage()).toEqual(await store.usage());
});
