import { Mempool, type MempoolOptions } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { describe, expect, it } from 'vitest';
import { openPriority } from './priority-tap.ts';
import { block, hash, open, transaction } from './tap.ts';

/** What the types forbid: a caller without them may hand it in. */
function untyped<T>(value: unknown): T {
  return value as T;
}

type Call = (pool: Mempool, options: never) => Promise<unknown>;

/** The first answer of a walk. */
function first(walk: AsyncIterable<unknown>): Promise<unknown> {
  return walk[Symbol.asyncIterator]().next();
}

const revision = { hash: hash(1), version: 1, answer: {} };

/** Every verb that takes options, in a call that would do something. */
const writes: Readonly<Record<string, Call>> = {
  submit: (pool, options) => pool.submit(transaction(9), options),
  receive: (pool, options) => pool.receive([transaction(9)], options),
  markInflight: (pool, options) => pool.markInflight(hash(1), options),
  'markInflight of a list': (pool, options) => pool.markInflight([hash(1)], options),
  markAcknowledged: (pool, options) => pool.markAcknowledged(hash(2), options),
  release: (pool, options) => pool.release(hash(2), options),
  drop: (pool, options) => pool.drop(hash(1), 'gone', options),
  'drop of a list': (pool, options) => pool.drop([hash(1)], 'gone', options),
  confirm: (pool, options) => pool.confirm(block(1, 1), {}, options),
  rollback: (pool, options) => pool.rollback(null, options),
  sweep: (pool, options) => pool.sweep(options),
  revise: (pool, options) => pool.revise([revision], options),
  flush: (pool, options) => pool.flush(options),
  setLimits: (pool, options) => pool.setLimits({ maxTxs: 0 }, options),
};

const reads: Readonly<Record<string, Call>> = {
  status: (pool, options) => pool.status(hash(1), options),
  waitFor: (pool, options) => pool.waitFor(hash(1), options),
  waitForPending: (pool, options) => pool.waitForPending(options),
  watch: (pool, options) => first(pool.watch([hash(1)], options)),
  gossip: (pool, options) => first(pool.gossip('ann', options)),
  pending: (pool, options) => first(pool.pending(options)),
  inflight: (pool, options) => first(pool.inflight(options)),
  finalized: (pool, options) => first(pool.finalized(options)),
  hasPending: (pool, options) => pool.hasPending(options),
  peekPending: (pool, options) => pool.peekPending(options),
  peekInflight: (pool, options) => pool.peekInflight(options),
  peekParked: (pool, options) => pool.peekParked(options),
  findInflight: (pool, options) => pool.findInflight([hash(1)], options),
  payloads: (pool, options) => pool.payloads([hash(1)], options),
  checkStatus: (pool, options) => pool.checkStatus([hash(1)], options),
  dumpFinalized: (pool, options) => pool.dumpFinalized(options),
  reap: (pool, options) => pool.reap({}, options),
  best: (pool, options) => pool.best(options),
  since: (pool, options) => pool.since(0, options),
  subscribe: (pool, options) => pool.subscribe(options),
  tip: (pool, options) => pool.tip(options),
  usage: (pool, options) => pool.usage(options),
};

const calls = { ...writes, ...reads };

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

async function filled() {
  const opened = await openPriority();
  await opened.pool.receive([transaction(1), transaction(2)]);
  await opened.pool.markInflight(hash(2));
  return opened;
}

describe('a bad option', () => {
  it.each(Object.keys(calls))('of %s is refused by name, changes nothing and holds nobody up', async (verb) => {
    const { pool } = await filled();
    const before = await pool.usage();
    for (const [field, options] of bad) {
      const innocent = pool.status(hash(1));
      await expect((calls[verb] as Call)(pool, untyped<never>(options))).rejects.toMatchObject({
        code: 'ERR_MEMPOOL_INVALID',
        details: { field },
      });
      expect(await innocent).toMatchObject({ stage: 'Pending' });
    }
    expect(await pool.usage()).toEqual(before);
    await pool.close();
  });
});

describe('a signal of null', () => {
  const quick = Object.keys(calls).filter((verb) => verb !== 'waitFor' && verb !== 'revise');

  it.each(quick)('is none for %s', async (verb) => {
    const { pool } = await filled();
    await (calls[verb] as Call)(pool, untyped<never>({ signal: null }));
    await pool.close();
  });
});

describe('a bad argument', () => {
  const arguments_: Readonly<Record<string, readonly [string, (pool: Mempool) => Promise<unknown>]>> = {
    'no submission': ['transaction', (pool) => pool.submit(untyped(null))],
    'no list': ['transactions', (pool) => pool.receive(untyped({}))],
    'an endless list': ['transactions', (pool) => pool.receive(new Array(2 ** 31))],
    'endless hashes': ['hashes', (pool) => pool.release(new Array(2 ** 31))],
    'endless revisions': ['revisions', (pool) => pool.revise(new Array(2 ** 31))],
    'no revision': ['revisions[0]', (pool) => pool.revise(untyped([null]))],
    'no policy': ['policy', (pool) => pool.confirm(block(1), untyped(null))],
    'a misspelt policy': ['policy.dropTreshold', (pool) => pool.confirm(block(1), untyped({ dropTreshold: 2 }))],
    'no point': ['point', (pool) => pool.rollback(untyped(undefined))],
    'no budget': ['budget', (pool) => pool.take(untyped(null), { owner: 'a', leaseMs: 1 })],
    'no taker': ['options', (pool) => pool.take({}, untyped(undefined))],
    'no limits': ['limits', (pool) => pool.setLimits(untyped(null))],
    'a misspelt limit': ['limits.maxTx', (pool) => pool.setLimits(untyped({ maxTx: 1 }))],
    'no reason': ['reason', (pool) => pool.drop(hash(1), untyped(undefined))],
    'a peer without a name': ['peer', (pool) => first(pool.gossip(''))],
    'hashes that are none': ['hashes[0]', (pool) => first(pool.watch(['XY']))],
    'a sender that is none': ['from', (pool) => pool.submit(transaction(9), untyped({ from: 5 }))],
  };

  it.each(Object.keys(arguments_))('(%s) is a rejected promise that names it', async (name) => {
    const { pool } = await filled();
    const before = await pool.usage();
    const [field, call] = arguments_[name] as (typeof arguments_)[string];
    await expect(call(pool)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
    expect(await pool.usage()).toEqual(before);
    await pool.close();
  });
});

describe('what is handed in', () => {
  it('is the pool’s own from the call on: revisions, limits, budgets and policies too', async () => {
    const { pool } = await filled();
    const answer = { priority: 5n, provides: [] as string[] };
    const revisions = [{ hash: hash(1), version: 1, answer }];
    const revising = pool.revise(revisions);
    answer.priority = -1n;
    revisions.length = 0;
    const limits = { maxTxs: 50 };
    const setting = pool.setLimits(limits);
    limits.maxTxs = -1;
    const policy = { finalizeThreshold: 1 };
    const applying = pool.confirm(block(1, 2), policy);
    policy.finalizeThreshold = 99;
    expect(await revising).toMatchObject([{ kind: 'revised' }]);
    expect(await setting).toMatchObject({ maxTxs: 50 });
    expect(await applying).toMatchObject({ finalized: 1 });
    expect(await pool.best()).toMatchObject([{ priority: 5n }]);
    await pool.close();
  });
});

describe('an operation id (X2)', () => {
  it('that another list has used is refused by name, and so is one of a single transaction', async () => {
    const { pool } = await open();
    await pool.receive([transaction(1), transaction(2)], { operationId: 'one' });
    const refusal = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'operationId' } };
    await expect(pool.submit(transaction(1), { operationId: 'one' })).rejects.toMatchObject(refusal);
    await expect(pool.receive([transaction(3)], { operationId: 'one' })).rejects.toMatchObject(refusal);
    expect((await pool.usage()).pending).toBe(2);
    await pool.close();
  });
});

describe('a payload that is too large', () => {
  it('for the store alone is answered so, and its neighbours are taken in', async () => {
    const { pool } = await open({}, { maxTxBytes: 10 });
    const told = await Promise.all([1, 2, 3].map((n) => pool.submit(transaction(n, n === 2 ? 11 : 10))));
    expect(told.map(({ kind }) => kind)).toEqual(['received', 'too-large', 'received']);
    expect((await pool.usage()).pending).toBe(2);
    await pool.close();
  });

  it('is an outcome of its own in a list, and nobody is asked about it', async () => {
    const asked: string[] = [];
    const validate: MempoolOptions['validate'] = ({ hash }) => {
      asked.push(hash);
      return {};
    };
    const { pool } = await open({ maxTxBytes: 5, validate });
    const outcomes = await pool.receive([transaction(1, 6), transaction(2, 5), transaction(3, 60)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['too-large', 'received', 'too-large']);
    expect(outcomes[2]).toEqual({ kind: 'too-large', hash: hash(3), maxTxBytes: 5 });
    expect(asked).toEqual([hash(2)]);
    await pool.close();
  });
});

describe('the options of open', () => {
  it.each([
    [{ maxFinalised: 3 }, 'maxFinalised', 'maxFinalized'],
    [{ leasez: 3 }, 'leasez', 'leases'],
    [{ ['x'.repeat(1_000_000)]: 3 }, `${'x'.repeat(100)}…`, null],
  ])('that there are not are refused by name', async (options, field, meant) => {
    const opening = ephemeral.open(untyped(options));
    await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
    if (meant !== null) await expect(opening).rejects.toThrow(`did you mean ${meant}?`);
  });

  it.each([5, null, {}])('that are no leases are refused: %j', async (leases) => {
    const opening = ephemeral.open(untyped({ leases }));
    await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'leases' } });
  });
});

describe('the options of a pool', () => {
  it.each([
    [null, 'options'],
    [{ maxBatches: 3 }, 'maxBatches'],
    [{ validator: () => ({}) }, 'validator'],
  ])('that are bad are refused by name: %o', async (options, field) => {
    const { store } = await open();
    expect(() => new Mempool(store, untyped(options))).toThrow(expect.objectContaining({ details: { field } }));
    await store.close();
  });

  it('are told with the name that may be meant', async () => {
    const { store } = await open();
    expect(() => new Mempool(store, untyped({ maxbatch: 3 }))).toThrow(/did you mean maxBatch\?/);
    await store.close();
  });
});
