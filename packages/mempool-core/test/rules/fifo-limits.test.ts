import { type Backend, defaultRetention, type MempoolStore } from 'mempool-core';
import {
  decodeValue,
  defineBackend,
  encodeValue,
  MemoryPool,
  type MemoryRecord,
  memoryDriver,
  reapFifo,
  type Step,
} from 'mempool-core/backend';
import { expect, test } from 'vitest';
import { decodeOutcome, encodeOutcome } from '../../src/codec/outcome-record.ts';
import { fifoLimits } from '../../src/rules/fifo-step.ts';
import { callTimeOf, claimEnd, poolClock } from '../../src/rules/pool-clock.ts';
import { receiveStep } from '../../src/rules/step.ts';

const hashOf = (n: number): string => n.toString(16).padStart(64, '0');
const transaction = (n: number) => ({ hash: hashOf(n), payload: Buffer.alloc(4, n), payloadType: 0 });

/** A pool whose steps are kept as bytes, as a journal would. */
function recorder() {
  const steps: Buffer[] = [];
  let memory = new MemoryPool('epoch', defaultRetention);
  const backend: Backend = defineBackend({
    name: 'recorder',
    capabilities: { durable: true, shared: false, lease: false, priority: false, records: false, import: false },
    open: (options) =>
      memoryDriver({
        memory,
        options,
        commit({ outcome: _, ...step }) {
          steps.push(encodeValue(step));
          memory.apply({ outcome: null, ...step });
        },
        close: () => undefined,
      }),
  });
  const restart = (records: Iterable<Buffer>, replay: Iterable<Buffer>): void => {
    memory = new MemoryPool('epoch', defaultRetention);
    for (const record of records) memory.restore(decodeValue('record', record) as MemoryRecord);
    for (const step of replay)
      memory.apply({ outcome: null, ...(decodeValue('step', step) as Omit<Step<unknown>, 'outcome'>) });
  };
  return { backend, steps, dump: () => Array.from(memory.dump(), encodeValue), restart };
}

/** Two leases, of which one has lost a transaction, and a limit. */
async function prepare(store: MempoolStore): Promise<void> {
  await store.receive([1, 2, 3, 4, 5].map(transaction));
  await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50, operationId: 'one' });
  await store.take({ maxTxs: 2 }, { owner: 'b', claimMs: 20 });
  await store.markAcknowledged([hashOf(1)]);
  await store.setLimits({ maxTxs: 5 });
}

async function expectPrepared(backend: Backend): Promise<void> {
  await using store = await backend.open({ now: () => 2_000 });
  expect(await store.setLimits({})).toEqual({ ...fifoLimits, maxTxs: 5 });
  expect(await store.receive([transaction(6)])).toEqual([{ kind: 'full', hash: hashOf(6) }]);
  const again = await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50, operationId: 'one' });
  expect(again).toMatchObject({ owner: 'a', untilMs: 1_050, transactions: [{ hash: hashOf(2) }] });
  expect((await store.sweep()).returned).toEqual([3, 4, 2].map(hashOf));
}

test('leases and the limit are part of the steps that a pool is made of again', async () => {
  const { backend, steps, restart } = recorder();
  await using store = await backend.open({ now: () => 1_000 });
  await prepare(store);
  restart([], steps);
  await expectPrepared(backend);
});

test('leases and the limit are part of what a pool is dumped as, and restored from', async () => {
  const { backend, dump, restart } = recorder();
  await using store = await backend.open({ now: () => 1_000 });
  await prepare(store);
  restart(dump(), []);
  await expectPrepared(backend);
});

test('a pool that nobody took from is dumped as before, and its steps are those of before', async () => {
  const { backend, steps, dump } = recorder();
  await using store = await backend.open({});
  await store.receive([transaction(1), transaction(2)]);
  await store.markInflight([hashOf(1)]);
  await store.sweep();
  await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
  expect(steps).toHaveLength(2);
  for (const step of steps) expect(decodeValue('step', step)).not.toHaveProperty('arrivals');
  for (const record of dump()) expect(decodeValue('record', record)).not.toHaveProperty('arrivals');
});

test('a lease that has ended for all it was of leaves nothing in a pool', async () => {
  let now = 1_000;
  const { backend, dump } = recorder();
  await using store = await backend.open({ now: () => now });
  await store.receive([1, 2, 3].map(transaction));
  await store.take({}, { owner: 'a', claimMs: 50 });
  await store.drop([hashOf(2)], 'failed');
  now = 2_000;
  await store.sweep();
  for (const record of dump()) expect(decodeValue('record', record)).not.toHaveProperty('arrivals');
});

test('a budget is read no further than it reaches', () => {
  let read = 0;
  function* pending() {
    for (const seq of [1, 2, 3, 4]) {
      read = seq;
      yield { hash: hashOf(seq), seq, bytes: 10 };
    }
  }
  const budget = { maxBytes: 25, maxGas: 0, maxTxs: Number.POSITIVE_INFINITY, skip: 0, overheadBytes: 0 };
  expect(reapFifo(pending(), budget).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(read).toBe(3);
  expect(reapFifo(pending(), { ...budget, maxTxs: 2 })).toHaveLength(2);
  expect(read).toBe(2);
});

test('a pool that is over its limit already takes nothing, and tells each', () => {
  const memory = new MemoryPool('epoch', defaultRetention);
  const thresholds = { finalizeThreshold: 6, dropThreshold: 2 };
  const { outcome, writes } = receiveStep(memory, [transaction(1), transaction(1)], thresholds, -3);
  expect(writes).toEqual([]);
  expect(outcome).toEqual(Array(2).fill({ kind: 'full', hash: hashOf(1) }));
});

test('a closed pool takes what it has, and tells each other one', () => {
  const memory = new MemoryPool('epoch', defaultRetention);
  const thresholds = { finalizeThreshold: 6, dropThreshold: 2 };
  memory.apply(receiveStep(memory, [transaction(1)], thresholds));
  const { outcome, writes } = receiveStep(memory, [2, 1, 2].map(transaction), thresholds, 'closed');
  expect(writes).toEqual([]);
  const duplicate = { kind: 'duplicate', hash: hashOf(1), stage: 'Pending' } as const;
  const closed = { kind: 'closed', hash: hashOf(2) } as const;
  expect(outcome).toEqual([closed, duplicate, closed]);
  const record = encodeOutcome('receive', [closed, duplicate]);
  expect(decodeOutcome('receive', record)).toEqual([closed, duplicate]);
});

test('the time at which a pool closes is part of its steps and its dump', async () => {
  const { backend, steps, dump, restart } = recorder();
  await using store = await backend.open({ now: () => 1_000, acceptUntil: 2_000 });
  for (const replay of [() => restart([], steps), () => restart(dump(), [])]) {
    replay();
    await using again = await backend.open({ now: () => 2_000 });
    expect(await again.setLimits({})).toEqual({ ...fifoLimits, acceptUntil: 2_000 });
    expect(await again.receive([transaction(1)])).toEqual([{ kind: 'closed', hash: hashOf(1) }]);
  }
  expect(store.ordering).toBe('fifo');
});

test('the clock of a pool is the application’s where it gives one; nobody is later than it', () => {
  expect(poolClock({ now: () => 7 })()).toBe(7);
  const before = Date.now();
  const own = poolClock({ now: null })();
  expect(own).toBeGreaterThanOrEqual(before);
  expect(own).toBeLessThanOrEqual(Date.now());
  expect([null, 5, 9].map((given) => callTimeOf(given, 7))).toEqual([7, 5, 7]);
  expect(claimEnd(7.9, 3)).toBe(10);
  expect(claimEnd(7, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
});
