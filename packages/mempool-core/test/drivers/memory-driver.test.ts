import { expect, it } from 'vitest';
import { defineBackend } from '../../src/boundary/define-backend.ts';
import { defaultRetention } from '../../src/contract/options.ts';
import { type MemoryDriverParts, memoryDriver } from '../../src/drivers/memory-driver.ts';
import { MemoryPool } from '../../src/memory/memory-pool.ts';
import { receiveStep, type Step } from '../../src/rules/step.ts';

const one = { hash: 'ab'.repeat(32), payload: new Uint8Array(1), payloadType: 0 };
const capabilities = { durable: false, shared: false, lease: false, priority: false, records: false, import: false };

function opened(commit: MemoryDriverParts['commit']) {
  const memory = new MemoryPool('epoch', defaultRetention);
  const backend = defineBackend({
    name: 'test',
    capabilities,
    open: (options) => memoryDriver({ memory, options, commit, close: () => undefined }),
  });
  return backend.open();
}

it('a commit that is asynchronous is refused when the pool is opened', async () => {
  // @ts-expect-error a promise is not waited for
  const opening = opened(async () => undefined);
  await expect(opening).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_INTERNAL',
    message: expect.stringMatching('must be synchronous'),
  });
});

it('a commit that answers with a promise fails its call', async () => {
  // @ts-expect-error a promise is not waited for
  const store = await opened(() => Promise.reject(new Error('the disk is full')));
  await expect(store.receive([one])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
  expect((await store.usage()).pending).toBe(0);
});

it('M1: a step that is kept for a while has bytes that no caller changes', async () => {
  const kept: Step<unknown>[] = [];
  const store = await opened((step) => {
    kept.push(step);
  });
  const payload = new Uint8Array([1, 2]);
  await store.receive([{ ...one, payload }]);
  payload.fill(9);
  expect([...(kept[0]?.writes[0]?.body?.payload ?? [])]).toEqual([1, 2]);
});

const thresholds = { finalizeThreshold: 6, dropThreshold: 2 };
const empty = { hash: 'cd'.repeat(32), payload: new Uint8Array(), payloadType: 0 };

/** Three transactions; the bytes of the last one are given away when they were checked. */
function givenAway() {
  const payload = new Uint8Array([7]);
  const transactions = [one, empty, { hash: 'ef'.repeat(32), payload, payloadType: 0 }];
  return { transactions, giveAway: () => void payload.buffer.transfer() };
}

it.each(['apply', 'follow'] as const)('X1: %s changes nothing where bytes were given away', (verb) => {
  const memory = new MemoryPool('epoch', defaultRetention);
  memory.apply(receiveStep(memory, [one], thresholds));
  const { transactions, giveAway } = givenAway();
  const step = receiveStep(memory, transactions, thresholds);
  giveAway();
  const before = [...memory.dump()];
  const run = {
    apply: () => memory.apply(step),
    follow: () => memory.follow(step, 4, 2),
  };
  expect(run[verb]).toThrow(expect.objectContaining({ code: 'ERR_MEMPOOL_INTERNAL' }));
  expect([...memory.dump()]).toEqual(before);
  memory.apply(receiveStep(memory, [one, empty], thresholds));
  expect(memory.usage()).toMatchObject({ pending: 2, lastSeq: 2, lastEventSeq: 2 });
});
