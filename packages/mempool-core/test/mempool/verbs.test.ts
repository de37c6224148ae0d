import type { OpenOptions, PriorityMempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { describe, expect, it } from 'vitest';
import { block, closed, collect, hash, invalid, kinds, type Opened, open, openPriority, transaction } from './tap.ts';

/** What the types forbid: a caller without them may hand it in. */
function untyped<T>(value: unknown): T {
  return value as T;
}

type PoolCall = (pool: PriorityMempool, options: never) => Promise<unknown>;

/** The first answer of a walk. */
function first(walk: AsyncIterable<unknown>): Promise<unknown> {
  return walk[Symbol.asyncIterator]().next();
}

/** The verbs of a pool that its driver does not have, and each kind of call that is batched. */
const calls: Readonly<Record<string, PoolCall>> = {
  submit: (pool, options) => pool.submit(transaction(9), options),
  receive: (pool, options) => pool.receive([transaction(9)], options),
  markInflight: (pool, options) => pool.markInflight(hash(1), options),
  'markInflight of a list': (pool, options) => pool.markInflight([hash(1)], options),
  release: (pool, options) => pool.release(hash(2), options),
  drop: (pool, options) => pool.drop(hash(1), 'failed', options),
  confirm: (pool, options) => pool.confirm(block(1, 1), {}, options),
  sweep: (pool, options) => pool.sweep(options),
  status: (pool, options) => pool.status(hash(1), options),
  waitFor: (pool, options) => pool.waitFor(hash(1), options),
  waitForPending: (pool, options) => pool.waitForPending(options),
  watch: (pool, options) => first(pool.watch([hash(1)], options)),
  gossip: (pool, options) => first(pool.gossip('ann', options)),
  pending: (pool, options) => first(pool.pending(options)),
  inflight: (pool, options) => first(pool.inflight(options)),
  finalized: (pool, options) => first(pool.finalized(options)),
  confirmed: (pool, options) => pool.confirmed(options),
  peekPending: (pool, options) => pool.peekPending(options),
  peekInflight: (pool, options) => pool.peekInflight(options),
  peekParked: (pool, options) => pool.peekParked(options),
  findInflight: (pool, options) => pool.findInflight([hash(1)], options),
  payloads: (pool, options) => pool.payloads([hash(1)], options),
  'status of a list': (pool, options) => pool.status([hash(1)], options),
  dumpFinalized: (pool, options) => pool.dumpFinalized(options),
  reap: (pool, options) => pool.reap({}, options),
  best: (pool, options) => pool.best(options),
  since: (pool, options) => pool.since(options),
  subscribe: (pool, options) => pool.subscribe(options),
  tip: (pool, options) => pool.tip(options),
  usage: (pool, options) => pool.usage(options),
};

/** A priority pool in which 1 is Pending and 2 is in flight. */
async function used(options: OpenOptions = {}): Promise<Opened<'priority'>> {
  const opened = await openPriority(options);
  await opened.pool.receive([transaction(1), transaction(2)]);
  await opened.pool.markInflight(hash(2));
  return opened;
}

const likeSignal = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  throwIfAborted: () => undefined,
};

function fail(): never {
  throw new Error('nobody listens here');
}

const bad: readonly (readonly [string, unknown])[] = [
  ['options', null],
  ['options', 'now'],
  ['signal', { signal: {} }],
  ['signal', { signal: 'soon' }],
  ['signal', { signal: Object.create(AbortSignal.prototype) }],
  ['signal', { signal: { ...likeSignal, addEventListener: fail } }],
  ['signal', { signal: { ...likeSignal, removeEventListener: fail } }],
  ['sginal', { sginal: AbortSignal.abort() }],
];

describe('options', () => {
  it.each(Object.keys(calls))(
    'of %s that are bad are refused by name, and neighbours are not held up',
    async (verb) => {
      const { pool } = await used();
      const before = await pool.usage();
      for (const [field, options] of bad) {
        const innocent = pool.status(hash(1));
        await expect((calls[verb] as PoolCall)(pool, untyped<never>(options))).rejects.toMatchObject(invalid(field));
        expect(await innocent).toMatchObject({ stage: 'Pending' });
      }
      expect(await pool.usage()).toEqual(before);
    },
  );

  const _quick = Object.keys(calls).filter((verb) => verb !== 'waitFor' && verb !== 'revise');
});

describe('a closed pool (R2)', () => {
  const others: Readonly<Record<string, PoolCall>> = {
    take: (pool) => pool.take({}, { owner: 'a', claimMs: 1 }),
    stale: (pool) => pool.stale({ height: 1 }),
    recheck: (pool) => pool.recheck({ height: 1 }),
    watch: (pool) => collect(pool.watch([hash(1)])),
  };

  it.each(Object.entries({ ...calls, ...others }))('makes %s reject', async (_, call) => {
    const { pool } = await openPriority({ validate: () => ({}) });
    await pool.close();
    await expect(call(pool, untyped<never>(undefined))).rejects.toMatchObject(closed);
  });

  it('has answered what was accepted before; closing it twice is fine', async () => {
    const { pool } = await open();
    const submitted = pool.submit(transaction(1));
    const closing = pool.close();
    const late = [pool.submit(transaction(2)), pool.usage(), pool.waitFor(hash(1)), pool.confirm(block(1))];
    for (const each of late) await expect(each).rejects.toMatchObject(closed);
    expect(await submitted).toMatchObject({ kind: 'received' });
    await closing;
    await pool.close();
    await expect(pool.usage()).rejects.toMatchObject(closed);
  });

  it('is what the end of an `await using` block leaves', async () => {
    const { pool } = await open();
    {
      await using scoped = pool;
      await scoped.submit(transaction(1));
    }
    await expect(pool.tip()).rejects.toMatchObject(closed);
  });
});

describe('a bad argument', () => {
  const bads: Readonly<Record<string, readonly [string, (pool: PriorityMempool) => Promise<unknown>]>> = {
    'no submission': ['transaction', (pool) => pool.submit(untyped(null))],
    'an endless list': ['transactions', (pool) => pool.receive(new Array(2 ** 31))],
    'endless hashes': ['hashes', (pool) => pool.release(new Array(2 ** 31))],
    'no reason': ['reason', (pool) => pool.drop(hash(1), untyped(undefined))],
    'a bad operation id': ['operationId', (pool) => pool.release(hash(1), { operationId: '' })],
    'a bad height': ['height', (pool) => pool.submit(transaction(9), { height: -1 })],
    'a peer without a name': ['peer', (pool) => first(pool.gossip(''))],
    'hashes that are none': ['hashes[0]', (pool) => first(pool.watch(['XY']))],
    'a sender that is none': ['from', (pool) => pool.submit(transaction(9), untyped({ from: 5 }))],
    'a sender without a name': ['transaction.from', (pool) => pool.submit({ ...transaction(9), from: '' })],
    'a stage without a wait': ['stage', (pool) => pool.waitFor(hash(1), { stage: untyped('Dropped') })],
    'a stage that is none': ['stage', (pool) => pool.waitFor(hash(1), { stage: untyped('confirmed') })],
    'a negative depth': ['confirmations', (pool) => pool.waitFor(hash(1), { confirmations: -1 })],
    'half a depth': ['confirmations', (pool) => pool.waitFor(hash(1), { confirmations: 1.5 })],
    'a recheck at no height': ['height', (pool) => pool.recheck(untyped({}))],
    'a recheck at a bad height': ['height', (pool) => pool.recheck({ height: -1 })],
    'a recheck in empty slices': ['slice', (pool) => pool.recheck({ height: 1, slice: 0 })],
    'a recheck in slices too large': ['slice', (pool) => pool.recheck({ height: 1, slice: 1_001 })],
  };

  it.each(Object.entries(bads))('(%s) is a rejected promise that names it', async (_, [field, call]) => {
    const { pool } = await used({ validate: () => ({}) });
    const before = await pool.usage();
    await expect(call(pool)).rejects.toMatchObject(invalid(field));
    expect(await pool.usage()).toEqual(before);
  });
});

describe('a payload that is too large', () => {
  it('is an outcome of its own in a list, and nobody is asked about it', async () => {
    const asked: string[] = [];
    const validate: OpenOptions['validate'] = ({ hash }) => {
      asked.push(hash);
      return {};
    };
    const { pool } = await open({ maxTxBytes: 5, validate });
    const outcomes = await pool.receive([transaction(1, 6), transaction(2, 5), transaction(3, 60)]);
    expect(kinds(outcomes)).toEqual(['too-large', 'received', 'too-large']);
    expect(outcomes[2]).toEqual({ kind: 'too-large', hash: hash(3), maxTxBytes: 5 });
    expect(asked).toEqual([hash(2)]);
  });
});

describe('the options of a pool', () => {
  it.each([
    [{ maxFinalised: 3 }, 'maxFinalised', 'maxFinalized'],
    [{ leasez: 3 }, 'leasez', 'leases'],
    [{ maxbatch: 3 }, 'maxbatch', 'maxBatch'],
    [{ ['x'.repeat(1_000_000)]: 3 }, `${'x'.repeat(100)}…`, null],
  ])('for its store that there are not are refused by name', async (options, field, meant) => {
    const opening = ephemeral.open(untyped<object>(options));
    await expect(opening).rejects.toMatchObject(invalid(field));
    if (meant !== null) await expect(opening).rejects.toThrow(`did you mean ${meant}?`);
  });

  it.each<[string, unknown]>([
    ['options', null],
    ['maxBatches', { maxBatches: 3 }],
    ['validator', { validator: () => ({}) }],
    ['maxBatch', { maxBatch: 0 }],
    ['maxBatch', { maxBatch: 1_001 }],
    ['maxQueued', { maxQueued: 1.5 }],
    ['maxBatchBytes', { maxBatchBytes: -1 }],
    ['maxTxBytes', { maxTxBytes: Number.NaN }],
    ['maxInvalid', { maxInvalid: 0 }],
    ['keepInvalidMs', { keepInvalidMs: -1 }],
    ['validate', { validate: 'yes' }],
    ['height', { height: 7 }],
    ['clock', { clock: 7 }],
    ['schedule', { schedule: 7 }],
    ['log', { log: console }],
    ['observer', { observer: {} }],
    ...[0, 1.5, -1, 2 ** 31].map((sweepEveryMs): [string, unknown] => ['sweepEveryMs', { sweepEveryMs }]),
  ])('that are bad are refused by name: %s %#', async (field, options) => {
    await expect(ephemeral.open(untyped<object>(options))).rejects.toMatchObject(invalid(field));
  });
});
