import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { StoreDriver } from '../../src/contract/driver.ts';
import { defineBackend } from '../../src/mempool/define-backend.ts';
import type { Mempool } from '../../src/mempool/pool-of-ordering.ts';
import { EventLog } from './event-log.ts';

const hash = 'ab'.repeat(32);
const epoch = 'first';
const usage = {
  pending: 0,
  held: 0,
  propagated: 0,
  acknowledged: 0,
  confirmed: 0,
  logged: 0,
  lastLogSeq: 0,
  lastSeq: 0,
  lastEventSeq: 0,
  epoch,
  oldestInflight: null,
};
const page = { transactions: [], next: 0, epoch };

/** A backend of one driver, whose verbs answer with little; `own` replaces some of them. */
async function open(own: Partial<StoreDriver> = {}) {
  const log = new EventLog();
  const driver: StoreDriver = {
    receive: (transactions) =>
      transactions.map((each, i) => ({ kind: 'received', hash: each.hash, seq: i + 1, stage: 'Pending' })),
    move: (_verb, hashes) => [...hashes],
    drop: (hashes) => [...hashes],
    confirm: () => ({ kind: 'gap', tip: { point: null, tick: 0 } }),
    rollback: () => ({ kind: 'unchanged', tip: { point: null, tick: 0 } }),
    peekPending: () => page,
    peekInflight: () => page,
    findInflight: (hashes) => hashes.map(() => null),
    checkStatus: () => [],
    dumpFinalized: () => ({ entries: [], cursor: 1, hasMore: false, missed: 0, epoch }),
    tip: () => ({ point: null, tick: 0, points: [], epoch }),
    usage: () => usage,
    close: () => undefined,
    readEvents: (after, limit) => log.readEvents(after, limit),
    onEvents: (listener) => log.onEvents(listener),
    ...own,
  };
  const backend = defineBackend({
    name: 'test',
    capabilities: { durable: false, shared: false, lease: false, priority: false, records: false, import: false },
    open: () => driver,
  });
  return { backend, log, store: await backend.open() };
}

it('refuses maxTxs where the driver keeps no limits, and closes what it opened', async () => {
  const close = vi.fn();
  const { backend } = await open({ close });
  await expect(backend.open({ maxTxs: 2 })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNSUPPORTED' });
  expect(close).toHaveBeenCalledOnce();
});

it('remove takes the options of open, checked, and a backend that has none of it lacks it', async () => {
  const capabilities = { durable: false, shared: false, lease: false, priority: false, records: false, import: false };
  const never = (): never => {
    throw new TypeError('is not opened');
  };
  expect(defineBackend({ name: 'some', capabilities, open: never }).remove).toBeUndefined();
  const given: unknown[] = [];
  const backend = defineBackend<{ readonly path?: string }>({
    name: 'some',
    capabilities,
    options: { path: true },
    open: never,
    remove: (options) => given.push(options.pool, options.timeoutMs, options.path) === 3,
  });
  expect(await backend.remove({ pool: 'a', path: 'b' })).toBe(true);
  expect(await backend.remove()).toBe(false);
  expect(given).toEqual(['a', 5_000, 'b', 'mempool', 5_000, undefined]);
  await expect(backend.remove({ pool: 'two words' })).rejects.toMatchObject({ details: { field: 'pool' } });
  await expect(backend.remove({ pth: 'b' } as object)).rejects.toMatchObject({ details: { field: 'pth' } });
  await expect(backend.remove({ fenced: true })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNSUPPORTED' });
  expect(given).toHaveLength(6);
  const faulty = defineBackend({ name: 'some', capabilities, open: never, remove: never });
  await expect(faulty.remove()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL', cause: expect.any(TypeError) });
});

const reads: readonly (readonly [string, (store: Mempool, signal: AbortSignal) => Promise<unknown>])[] = [
  ['hasPending', (store, signal) => store.hasPending({ signal })],
  ['peekPending', (store, signal) => store.peekPending({ signal })],
  ['findInflight', (store, signal) => store.findInflight([hash], { signal })],
  ['peekInflight', (store, signal) => store.peekInflight({ signal })],
  ['status', (store, signal) => store.status([hash], { signal })],
  ['dumpFinalized', (store, signal) => store.dumpFinalized({ signal })],
  ['subscribe', (store, signal) => store.subscribe({ signal })],
  ['tip', (store, signal) => store.tip({ signal })],
  ['usage', (store, signal) => store.usage({ signal })],
];

/** Every reading verb of a driver, answered by the same. */
function keptReads(answer: () => Promise<never>): Partial<StoreDriver> {
  return {
    peekPending: answer,
    peekInflight: answer,
    findInflight: answer,
    checkStatus: answer,
    dumpFinalized: answer,
    tip: answer,
    usage: answer,
    readEvents: answer,
  };
}

describe('what defineBackend puts around a driver', () => {
  it('empty lists do not reach the driver', async () => {
    const never = (): never => {
      throw new Error('the driver was asked');
    };
    const { store } = await open({ receive: never, move: never, drop: never });
    expect(await Promise.all([store.receive([]), store.markInflight([]), store.drop([], 'failed')])).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('a fault of the driver keeps its cause and gains a code (R1)', async () => {
    const fault = new TypeError('x is not a function');
    const { store } = await open({ usage: () => Promise.reject(fault) });
    await expect(store.usage()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL', retryable: false, cause: fault });
  });

  it('close waits for the calls under way, and twice is fine (R2)', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof usage>();
    const order: string[] = [];
    const answer = async (): Promise<typeof usage> => {
      const answered = await promise;
      order.push('driver answered');
      return answered;
    };
    const { store } = await open({ usage: answer, close: () => void order.push('driver closed') });
    const call = store.usage();
    const closing = [store.close(), store.close()];
    resolve(usage);
    await Promise.all([call, ...closing]);
    expect(order).toEqual(['driver answered', 'driver closed']);
  });

  it.each(reads)('%s ends with the signal’s reason while the driver still waits (R3)', async (verb, run) => {
    const keep = (): Promise<never> => new Promise(() => undefined);
    const { store } = await open(keptReads(keep));
    const abort = new AbortController();
    const reason = new Error('enough');
    const call = run(store, abort.signal);
    abort.abort(reason);
    await expect(call, verb).rejects.toBe(reason);
  });

  it('a read that was ended leaves no listener and no stream, and its late failure is nobody’s', async () => {
    const driven = Promise.withResolvers<never>();
    const { store, log } = await open(keptReads(() => driven.promise));
    const abort = new AbortController();
    const calls = reads.map(([, run]) => run(store, abort.signal));
    abort.abort(new Error('enough'));
    await Promise.allSettled(calls);
    expect([getEventListeners(abort.signal, 'abort').length, log.listeners.size]).toEqual([0, 0]);
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    driven.reject(new Error('too late'));
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('close waits for the driver to end a read that its signal has ended (R2)', async () => {
    const driven = Promise.withResolvers<typeof usage>();
    const order: string[] = [];
    const { store } = await open({ usage: () => driven.promise, close: () => void order.push('driver closed') });
    const abort = new AbortController();
    const call = store.usage({ signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    const closing = store.close();
    await new Promise(setImmediate);
    order.push('driver answers');
    driven.resolve(usage);
    await closing;
    expect(order).toEqual(['driver answers', 'driver closed']);
  });

  it('capabilities cannot be changed', async () => {
    const { backend, store } = await open();
    expect(Object.isFrozen(backend.capabilities)).toBe(true);
    expect(store.capabilities).toEqual({
      durable: false,
      shared: false,
      lease: false,
      priority: false,
      records: false,
      import: false,
    });
  });
});
