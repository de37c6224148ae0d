import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AnyMempool, Mempool, Ordering } from 'mempool-core';
import { anyMempool, poolState } from 'mempool-core/backend';
import { type Cut, comparable } from 'mempool-testkit';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transaction } from '../chain.ts';
import { openPool, ownProxy } from '../own-server.ts';
import { mirrorNode } from '../priority/node.ts';
import { priced } from '../priority/priced.ts';

const cuts: readonly Cut[] = ['before the request', 'after the request', 'before the reply'];

/** The first provides what the fifth waits for, and the pool is full with the fifth. */
function submission(ordering: Ordering, n: number) {
  if (ordering === 'fifo') return transaction(n);
  const tags: Readonly<Record<number, object>> = {
    1: { provides: ['a'] },
    5: { requires: ['a', 'b'] },
    6: { provides: ['b'] },
  };
  return priced(n, { priority: BigInt(10 * n), ...tags[n] });
}

const received = (store: Mempool) => store.receive([1, 2, 3, 4, 5].map((n) => submission(store.ordering, n)));
const marked = async (store: Mempool) => {
  await received(store);
  await store.markInflight([hashOf(1), hashOf(2)]);
};
const taken = async (store: Mempool) => {
  await received(store);
  await store.take({ maxTxs: 2 }, { owner: 'me', claimMs: 1 });
};
const confirmed = async (store: Mempool) => {
  await marked(store);
  await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] });
};
const dropped = async (store: Mempool) => {
  await received(store);
  await store.drop([hashOf(1)], 'failed');
};
const next = { point: point(2), parent: point(1).hash, seen: [hashOf(2)], unseen: [hashOf(1)] };

interface Verb {
  readonly verb: string;
  /** Brings the pool to where the verb has something to do. */
  readonly prepare: (store: Mempool) => Promise<unknown>;
  readonly call: (store: AnyMempool) => Promise<unknown>;
}

const verbs: readonly Verb[] = [
  {
    verb: 'receive',
    prepare: received,
    call: (store) => store.receive([6, 2].map((n) => submission(store.ordering, n))),
  },
  { verb: 'markInflight', prepare: received, call: (store) => store.markInflight([2, 1, 9].map(hashOf)) },
  { verb: 'markAcknowledged', prepare: marked, call: (store) => store.markAcknowledged([hashOf(1)]) },
  { verb: 'release', prepare: marked, call: (store) => store.release([hashOf(1)]) },
  { verb: 'drop', prepare: marked, call: (store) => store.drop([hashOf(1)], 'failed') },
  { verb: 'confirm', prepare: confirmed, call: (store) => store.confirm(next) },
  { verb: 'rollback', prepare: confirmed, call: (store) => store.rollback('origin') },
  {
    verb: 'take',
    prepare: received,
    call: async (store) => {
      const { claimId, ...claim } = await store.take({ maxTxs: 2 }, { owner: 'me', claimMs: 1_000 });
      return claim;
    },
  },
  { verb: 'sweep', prepare: taken, call: (store) => store.sweep() },
  { verb: 'flush', prepare: taken, call: (store) => store.flush() },
  { verb: 'setLimits', prepare: received, call: (store) => store.setLimits({ maxTxs: 3 }) },
];

const reads: readonly Verb[] = [
  { verb: 'peekPending', prepare: received, call: (store) => store.peekPending() },
  { verb: 'peekInflight', prepare: marked, call: (store) => store.peekInflight() },
  { verb: 'findInflight', prepare: marked, call: (store) => store.findInflight([hashOf(2)]) },
  { verb: 'checkStatus', prepare: confirmed, call: (store) => store.status([hashOf(1), hashOf(9)]) },
  { verb: 'dumpFinalized', prepare: dropped, call: (store) => store.dumpFinalized() },
  { verb: 'tip', prepare: confirmed, call: (store) => store.tip({ points: 5 }) },
  { verb: 'usage', prepare: confirmed, call: (store) => store.usage() },
];

const revise: Verb = {
  verb: 'revise',
  prepare: received,
  call: (store) =>
    store.revise([
      { hash: hashOf(2), version: 1, answer: { priority: 70n } },
      { hash: hashOf(3), version: 1, answer: { code: 7, log: 'no', penalize: false } },
    ]),
};

const rows = [
  ...[...verbs, ...reads].map((row) => ({ ...row, ordering: 'fifo' as const })),
  ...[...verbs, revise].map((row) => ({ ...row, ordering: 'priority' as const })),
];

/** All that can be read of a small pool, its events too. A lease has an id of its own in every pool. */
async function contents(store: Mempool) {
  const { lastEventSeq } = await store.usage();
  const events: unknown[] = [];
  if (lastEventSeq > 0)
    for await (const event of await store.subscribe({ after: 'origin' }))
      if (events.push(event) === lastEventSeq) break;
  return comparable({
    events,
    usage: await store.usage(),
    tip: await store.tip({ points: 10 }),
    pending: (await store.peekPending()).transactions,
    inflight: (await store.peekInflight()).transactions,
    log: await store.dumpFinalized(),
    dump: store.ordering === 'priority' ? await dumpOf(store) : null,
  });
}

async function dumpOf(store: Mempool) {
  const { entries, claims, ordering: _, content: __, ...rest } = await poolState(store);
  const anonymous = entries.map(({ claim, ...entry }) => ({ ...entry, claim: claim && { ...claim, id: '' } }));
  return { ...rest, entries: anonymous, claims: claims.map(([_id, hashes]) => hashes) };
}

test.for(rows)('X2, X5: $verb whose connection is cut happens exactly once: $ordering', async (row) => {
  const { ordering, prepare, call } = row;
  const url = inject('redisUrl');
  const proxy = await ownProxy(url);
  let nowMs = 1_000;
  const open = async (at: string, pool = randomUUID()) => {
    nowMs = 1_000;
    const { store } = await openPool({ url: at, pool, ordering, maxTxs: 5, now: () => nowMs });
    await prepare(store);
    nowMs = 2_000;
    return { store: anyMempool(store), pool };
  };
  const { store: undisturbed } = await open(url);
  const outcome = comparable(await call(undisturbed));
  const due = await contents(undisturbed);
  for (const cut of cuts) {
    const { store, pool } = await open(proxy.url);
    const cutting = proxy.cutNext(cut);
    assert.deepEqual(comparable(await call(store)), outcome, cut);
    await cutting;
    assert.deepEqual(await contents(store), due, cut);
    if (ordering === 'fifo') continue;
    const node = mirrorNode(url, pool);
    expect(await node.remembered()).toEqual(await node.stored());
  }
});
