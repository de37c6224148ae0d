import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { MempoolStore } from 'mempool-core';
import type { Cut } from 'mempool-testkit';
import { expect, inject, test } from 'vitest';
import { hashOf, point } from '../chain.ts';
import { openPool, ownProxy } from '../own-server.ts';
import { mirrorNode } from './node.ts';
import { numbers, priced } from './priced.ts';

const cuts: readonly Cut[] = ['before the request', 'after the request', 'before the reply'];

/** Four that pay 1 to 4, the first of which provides what the fifth waits for. */
const filled = async (store: MempoolStore) => {
  await store.receive(numbers(4).map((n) => priced(n, { priority: BigInt(n), provides: n === 1 ? ['a'] : [] })));
  await store.receive([priced(5, { priority: 9n, requires: ['a', 'b'] })]);
};
const taken = async (store: MempoolStore) => {
  await filled(store);
  await store.take({ maxTxs: 2 }, { owner: 'me', leaseMs: 1 });
};

/** Each verb with something to do, and what `usage` says when it was done once. */
const verbs: readonly {
  readonly verb: string;
  readonly prepare: (store: MempoolStore) => Promise<unknown>;
  readonly call: (store: MempoolStore) => Promise<unknown>;
  readonly outcome: unknown;
  readonly after: object;
}[] = [
  {
    verb: 'receive',
    prepare: filled,
    call: (store) => store.receive([priced(6, { priority: 50n, provides: ['b'] }), priced(2)]),
    outcome: [
      { kind: 'received', hash: hashOf(6), seq: 6, stage: 'Pending' },
      { kind: 'duplicate', hash: hashOf(2), stage: 'Pending' },
    ],
    after: { pending: 5, propagated: 0, logged: 1, lastSeq: 6, lastEventSeq: 7 },
  },
  {
    verb: 'take',
    prepare: filled,
    call: async (store) =>
      (await store.take({ maxTxs: 2 }, { owner: 'me', leaseMs: 1_000 })).transactions.map(({ hash }) => hash),
    outcome: [4, 3].map(hashOf),
    after: { pending: 3, propagated: 2, lastEventSeq: 7 },
  },
  {
    verb: 'revise',
    prepare: filled,
    call: (store) =>
      store.revise([
        { hash: hashOf(2), version: 1, answer: { priority: 70n } },
        { hash: hashOf(3), version: 1, answer: { code: 7, log: 'no', penalize: false } },
      ]),
    outcome: [
      { kind: 'revised', hash: hashOf(2), version: 2 },
      { kind: 'dropped', hash: hashOf(3) },
    ],
    after: { pending: 4, lastEventSeq: 6 },
  },
  {
    verb: 'flush',
    prepare: taken,
    call: (store) => store.flush(),
    outcome: 3,
    after: { pending: 0, propagated: 2, logged: 3, lastEventSeq: 10 },
  },
  {
    verb: 'setLimits',
    prepare: filled,
    call: async (store) => (await store.setLimits({ maxTxs: 3, maxBytes: 1_000 })).maxTxs,
    outcome: 3,
    after: { pending: 5, load: { headroom: { transactions: -2 } } },
  },
  {
    verb: 'confirm',
    prepare: taken,
    call: (store) => store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [], provides: ['b'] }),
    outcome: {
      kind: 'applied',
      tip: { point: point(1), tick: 1 },
      confirmed: 1,
      returned: 0,
      finalized: 0,
      dropped: 0,
    },
    after: { pending: 2, confirmed: 1, load: { parked: 0 }, lastEventSeq: 9 },
  },
  {
    verb: 'rollback',
    prepare: async (store) => {
      await filled(store);
      await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [], provides: ['b'] });
    },
    call: (store) => store.rollback(null),
    outcome: { kind: 'rolled-back', tip: { point: null, tick: 0 }, undone: 1, returned: 1 },
    after: { pending: 5, confirmed: 0, load: { parked: 1 }, lastEventSeq: 9 },
  },
];

const cases = verbs.flatMap((each) => cuts.map((cut) => ({ ...each, cut })));

test.for(cases)(
  'X2: $verb whose connection is cut $cut is done once',
  async ({ prepare, call, outcome, after, cut }) => {
    const proxy = await ownProxy(inject('redisUrl'));
    const pool = randomUUID();
    const { store } = await openPool({ url: proxy.url, pool, ordering: 'priority', maxTxs: 5 });
    await prepare(store);
    const done = proxy.cutNext(cut);
    assert.deepEqual(await call(store), outcome);
    await done;
    expect(await store.usage()).toMatchObject(after);
    const node = mirrorNode(inject('redisUrl'), pool);
    expect(await node.remembered()).toEqual(await node.stored());
  },
);

test.for(cuts)('X2: a sweep whose connection is cut %s gives back once', async (cut) => {
  const proxy = await ownProxy(inject('redisUrl'));
  let nowMs = 1_000;
  const options = { url: proxy.url, pool: randomUUID(), ordering: 'priority', now: () => nowMs } as const;
  const { store } = await openPool(options);
  await taken(store);
  nowMs = 2_000;
  const done = proxy.cutNext(cut);
  expect((await store.sweep()).returned).toEqual([3, 4].map(hashOf));
  await done;
  expect(await store.usage()).toMatchObject({ pending: 5, propagated: 0, lastEventSeq: 9 });
});

test('M2: writes that are called while the server is away keep the order of the calls', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), ordering: 'priority' });
  proxy.down();
  const received = numbers(20).map((n) => store.receive([priced(n)]));
  const marked = store.markInflight(numbers(20).map(hashOf));
  const more = numbers(20, 21).map((n) => store.receive([priced(n)]));
  setImmediate(() => proxy.thaw());
  const outcomes = (await Promise.all([...received, ...more])).flat();
  expect(outcomes.map((outcome) => outcome.kind === 'received' && outcome.seq)).toEqual(numbers(40));
  expect(await marked).toEqual(numbers(20).map(hashOf));
});
