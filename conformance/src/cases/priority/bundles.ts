import assert from 'node:assert/strict';
import { type BundleOutcome, isMempoolError, type OpenOptions, type TransactionPage } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachRanked, needing } from '../../case/must.ts';
import { onFifoPool, openOther } from '../../scenario/on-pool.ts';
import { transactions } from '../../scenario/pool.ts';
import {
  account,
  type CallTime,
  type Draft,
  type Drafts,
  eachOnPriorityPool,
  openScene,
  type Scene,
} from '../../scenario/priority.ts';
import { rejection } from '../../scenario/verb-call.ts';

function bundle(scene: Scene, drafts: Drafts, moment: CallTime = {}): Promise<BundleOutcome> {
  const batch = Object.entries(drafts).map(([name, draft]) => scene.submission(name, draft));
  return scene.store.receiveBundle(batch, moment);
}

/** Receives a bundle, which must be received. */
async function fillBundle(scene: Scene, drafts: Drafts): Promise<number> {
  const outcome = await bundle(scene, drafts);
  assert.equal(outcome.kind, 'received');
  return outcome.kind === 'received' ? outcome.bundle : 0;
}

/** Two that pay 5 on average, between one that pays 6 and one that pays 4. */
async function between(scene: Scene): Promise<void> {
  await scene.fill({ better: { priority: 6n, gas: 1 }, worse: { priority: 4n, gas: 1 } });
  await fillBundle(scene, { rich: { priority: 9n, gas: 1 }, poor: { priority: 1n, gas: 1 } });
}

/** Bundles that are refused, with what has to be there before. */
const refusals: Readonly<Record<string, readonly [before: Drafts, bundle: Drafts, kind: string, name: string]>> = {
  duplicate: [{ a: {} }, { b: {}, a: {} }, 'duplicate', 'a'],
  rival: [{ a: { provides: ['x'] } }, { b: {}, c: { priority: 9n, provides: ['x'] } }, 'conflict', 'c'],
  within: [{}, { b: { provides: ['x'] }, c: { provides: ['x'] } }, 'conflict', 'c'],
  gas: [{}, { b: {}, c: { gas: 101 } }, 'limit', 'c'],
  sender: [{ a: { sender: 's' } }, { b: { sender: 's' }, c: { sender: 's' } }, 'sender-limit', 'c'],
  'later-first': [{}, { b: { requires: ['x'] }, c: { provides: ['x'] } }, 'cycle', 'b'],
  around: [
    { a: { requires: ['x'], provides: ['y'] } },
    { b: { provides: ['x'] }, c: { requires: ['y'] } },
    'cycle',
    'b',
  ],
  parked: [{}, { b: {}, c: { requires: ['missing'] } }, 'not-ready', 'b'],
  cheap: [{}, { b: { priority: -21n }, c: { priority: -20n } }, 'not-ready', 'b'],
  full: [
    { a: { priority: 5n }, d: { priority: 6n }, e: { priority: 7n }, f: { priority: 8n } },
    { b: { priority: 6n }, c: { priority: 6n } },
    'full',
    'b',
  ],
};

const limits = { maxTxs: 4, maxTxGas: 100, maxPerSender: 2, minPriority: -20n };

const refused: readonly ConformanceCase[] = Object.entries(refusals).flatMap(([id, [before, drafts, kind, name]]) =>
  eachRanked({
    [`P31/refused-${id}: if one of a bundle is refused, all are, and nothing changes`]: async (
      context: CaseContext,
    ) => {
      const scene = await openScene(context, limits);
      await scene.fill(before);
      await scene.unchanged(async () => {
        const outcome = await bundle(scene, drafts);
        assert.ok(outcome.kind === 'refused');
        assert.deepEqual([outcome.refusal.kind, outcome.refusal.hash], [kind, scene.hash(name)]);
      });
    },
  }),
);

const onePool = eachOnPriorityPool({
  'P31/place: a bundle stands together, in the order given, where its price for all gas belongs': async (scene) => {
    await between(scene);
    assert.deepEqual(await scene.ready(), ['better', 'rich', 'poor', 'worse']);
    await scene.fill({ later: { priority: 5n } });
    await fillBundle(scene, { c: { priority: 9n, gas: 3 }, d: { priority: 1n, gas: 1 } });
    assert.deepEqual(await scene.ready(), ['c', 'd', 'better', 'rich', 'poor', 'later', 'worse']);
  },
  'P31/price: without gas each counts the same; the price is rounded down': async (scene) => {
    await scene.fill({ three: { priority: 3n }, two: { priority: 2n }, minus: { priority: -2n } });
    await fillBundle(scene, { a: { priority: 4n }, b: { priority: 1n } });
    await fillBundle(scene, { c: { priority: -1n }, d: { priority: -2n } });
    assert.deepEqual(await scene.ready(), ['three', 'two', 'a', 'b', 'minus', 'c', 'd']);
  },
  'P31/named: the outcome names the bundle, and what is reaped, taken and listed has its name': async (scene) => {
    await scene.fill({ other: { priority: 9n } });
    const outcome = await bundle(scene, { a: {}, b: {} });
    const members = scene.hashes(['a', 'b']).map((hash, i) => ({ hash, seq: i + 2 }));
    assert.deepEqual(outcome, { kind: 'received', bundle: 2, transactions: members });
    const named = (all: readonly { readonly bundle?: number }[]) => all.map((one) => one.bundle ?? null);
    assert.deepEqual(named(await scene.store.reap()), [null, 2, 2]);
    assert.deepEqual(named(await scene.store.best()), [null, 2, 2]);
    const { transactions: taken } = await scene.store.take({}, { owner: 'o', claimMs: 9 });
    assert.deepEqual(named(taken), [null, 2, 2]);
  },
  'P31/told: the status and the pages of a live transaction name its bundle': async (scene) => {
    await scene.fill({ other: { priority: 9n } });
    await fillBundle(scene, { a: {}, b: {} });
    const { store } = scene;
    const told = async (): Promise<(number | null)[]> => {
      const statuses = await scene.statuses(['other', 'a', 'b']);
      return statuses.map(({ bundle: name = null }) => name);
    };
    const listed = async (page: Promise<TransactionPage>) => {
      const { transactions: all } = await page;
      return all.map(({ hash, bundle: name = null }) => [...scene.names([hash]), name]);
    };
    assert.deepEqual(await listed(store.peekPending()), [
      ['other', null],
      ['a', 2],
      ['b', 2],
    ]);
    await scene.mark('a');
    assert.deepEqual(await listed(store.peekInflight()), [['a', 2]]);
    assert.deepEqual(await listed(store.peekParked()), [['b', 2]]);
    const found = await store.findInflight(scene.hashes(['other', 'a']));
    const names = found.map((one) => (one !== null && 'bundle' in one ? one.bundle : null));
    assert.deepEqual(names, [null, 2]);
    assert.deepEqual(await told(), [null, 2, 2]);
    await scene.mark('b');
    await scene.block(1, { seen: ['a', 'b'] });
    assert.deepEqual(await told(), [null, 2, 2]);
    await store.rollback('origin');
    assert.deepEqual(await told(), [null, 2, 2]);
    await scene.drop('a');
    assert.deepEqual(await told(), [null, null, null]);
    await scene.fill({ b: {} });
    assert.deepEqual(await told(), [null, null, null]);
  },
  'P31/parents: each depends on those before it in the bundle and on what any of it needs': async (scene) => {
    await scene.fill({ parent: { priority: 1n, provides: ['p'] } });
    await fillBundle(scene, { a: { priority: 9n, provides: ['a'] }, b: { priority: 9n, requires: ['p', 'a'] } });
    await scene.fill({ child: { priority: 9n, requires: ['a'] }, alone: { priority: 5n } });
    assert.deepEqual(await scene.ready(), ['alone', 'parent', 'a', 'b', 'child']);
    const parents = (await scene.store.best()).map((one) => scene.names(one.parents));
    assert.deepEqual(parents, [[], [], ['parent'], ['parent', 'a'], ['a']]);
  },
  'P31/budget: a bundle fits as a whole or not at all, and counts once as passed over': async (scene) => {
    await between(scene);
    const reap = async (budget: Parameters<typeof scene.store.reap>[0]) => scene.names(await scene.store.reap(budget));
    assert.deepEqual(await reap({ maxTxs: 2 }), ['better']);
    assert.deepEqual(await reap({ maxGas: 2 }), ['better']);
    assert.deepEqual(await reap({ maxBytes: 59 }), ['better']);
    assert.deepEqual(await reap({ maxBytes: 60 }), ['better', 'rich', 'poor']);
    assert.deepEqual(await reap({ maxGas: 2, skip: 1 }), ['better', 'worse']);
    assert.deepEqual(await reap({ maxTxs: 2, skip: 1 }), ['better', 'worse']);
  },
  'P31/behind-one-passed-over: a bundle of which one depends on what is passed over is passed over': async (scene) => {
    await scene.fill({ large: { priority: 9n, gas: 9, provides: ['l'] } });
    await fillBundle(scene, { a: { priority: 8n }, b: { priority: 8n, requires: ['l'] } });
    await scene.fill({ last: {} });
    assert.deepEqual(scene.names(await scene.store.reap({ maxGas: 5, skip: 1 })), ['last']);
  },
  'P31/half-returned: while one is in flight, the others are parked': async (scene) => {
    await between(scene);
    await scene.store.take({ maxTxs: 3 }, { owner: 'o', claimMs: 1_000 });
    assert.deepEqual(await scene.inflight(), ['better', 'rich', 'poor']);
    await scene.release('poor');
    assert.deepEqual([await scene.ready(), await scene.parked()], [['worse'], ['poor']]);
    await scene.release('rich');
    assert.deepEqual([await scene.ready(), await scene.parked()], [['rich', 'poor', 'worse'], []]);
  },
  'P31/held: if one is held back, all wait': async (scene) => {
    await between(scene);
    await scene.mark('rich', 'poor');
    await scene.store.release(scene.hashes(['rich', 'poor']).slice(0, 1), { notBeforeMs: scene.clock.nowMs + 50 });
    await scene.release('poor');
    assert.deepEqual(await scene.ready(), ['better', 'worse']);
    scene.clock.nowMs += 50;
    await scene.store.sweep();
    assert.deepEqual(await scene.ready(), ['better', 'rich', 'poor', 'worse']);
  },
  'P31/dropped: if one is dropped, the others are, for the same reason': async (scene) => {
    await between(scene);
    await scene.mark('rich');
    assert.deepEqual(await scene.store.drop(scene.hashes(['poor']), 'failed'), scene.hashes(['poor']));
    assert.deepEqual(await scene.reasons('rich', 'poor'), ['failed', 'failed']);
    assert.deepEqual(await scene.ready(), ['better', 'worse']);
  },
  'P31/descendants: what depends on the rest of a bundle is dropped as a descendant of the one that is': async (
    scene,
  ) => {
    await fillBundle(scene, { a: {}, b: { provides: ['b'] } });
    await scene.fill({ child: { requires: ['b'], provides: ['c'] }, grandchild: { requires: ['c'] }, other: {} });
    const dropped = await scene.store.drop(scene.hashes(['a']), 'failed', { descendants: true });
    assert.deepEqual(scene.names(dropped), ['a', 'child', 'grandchild']);
    assert.deepEqual(await scene.reasons('b', 'child'), ['failed', 'failed']);
    assert.deepEqual([await scene.ready(), await scene.parked()], [['other'], []]);
  },
  'P31/expired: if one expires, all do': async (scene) => {
    await fillBundle(scene, { a: {}, b: { expiresAt: scene.clock.nowMs + 5 } });
    scene.clock.nowMs += 6;
    assert.deepEqual((await scene.store.sweep()).expired, scene.hashes(['b']));
    assert.deepEqual(await scene.reasons('a', 'b'), ['expired', 'expired']);
  },
  'P31/expired-over-limits: what leaves with an expired one is not over the limits, and nothing is evicted for it':
    async (scene) => {
      await scene.fill({ waiting: { requires: ['missing'] }, ready: { priority: 1n } });
      await fillBundle(scene, { a: { priority: 9n, expiresAt: scene.clock.nowMs + 5 }, b: {}, c: {} });
      await scene.store.setLimits({ maxTxs: 3, maxParked: 1 });
      scene.clock.nowMs += 6;
      const { expired, evicted, more } = await scene.store.sweep({ overLimits: true });
      assert.deepEqual([scene.names(expired), scene.names(evicted), more], [['a'], [], false]);
      assert.deepEqual(await scene.reasons('b', 'c'), ['expired', 'expired']);
      assert.deepEqual([await scene.ready(), await scene.parked()], [['ready'], ['waiting']]);
    },
  'P31/replaced: nobody replaces one of a bundle, whatever he pays': async (scene) => {
    await fillBundle(scene, { a: { priority: 5n }, b: { priority: 5n, ...account('s', 0) } });
    const refusal = { kind: 'conflict', with: scene.hash('b') } as const;
    await scene.refuses('c', { priority: 1_000n, ...account('s', 0) }, refusal);
    assert.deepEqual(await scene.ready(), ['a', 'b']);
  },
  'P31/refused-later: if a new answer refuses one, all leave': async (scene) => {
    await fillBundle(scene, { a: {}, b: {} });
    const answer = { code: 1, log: 'no', penalize: false };
    await scene.store.revise([{ hash: scene.hash('a'), version: 1, answer }]);
    assert.deepEqual(await scene.reasons('a', 'b'), ['invalid', 'invalid']);
  },
  'P31/revised: a new verdict for one moves all': async (scene) => {
    await between(scene);
    await scene.store.revise([{ hash: scene.hash('poor'), version: 1, answer: { priority: 5n, gas: 1 } }]);
    assert.deepEqual(await scene.ready(), ['rich', 'poor', 'better', 'worse']);
    assert.deepEqual(await scene.gossip(), ['better', 'worse']);
  },
  'P31/evicted: a full pool evicts a bundle as a whole, or not at all': async (scene) => {
    await scene.store.setLimits({ maxTxs: 4, maxEvictions: 1 });
    await between(scene);
    await scene.store.drop(scene.hashes(['worse']), 'failed');
    await scene.fill({ last: { priority: 5n } });
    await scene.fill({ first: { priority: 7n } });
    assert.deepEqual(await scene.ready(), ['first', 'better', 'rich', 'poor']);
    assert.equal((await scene.add('more', { priority: 8n })).kind, 'full');
    await scene.store.setLimits({ maxEvictions: 2 });
    assert.equal((await scene.add('more', { priority: 8n })).kind, 'received');
    assert.deepEqual(await scene.ready(), ['more', 'first', 'better']);
    assert.deepEqual(await scene.reasons('rich', 'poor'), ['evicted', 'evicted']);
  },
  'P31/in-flight-stays: a bundle of which a part is in flight is not evicted': async (scene) => {
    await scene.store.setLimits({ maxTxs: 4 });
    await between(scene);
    await scene.mark('rich');
    assert.deepEqual(await scene.parked(), ['poor']);
    assert.equal((await scene.add('new', { priority: 5n })).kind, 'received');
    assert.deepEqual(await scene.stages('rich', 'poor'), ['Propagated', 'Pending']);
    assert.deepEqual(await scene.reasons('worse'), ['evicted']);
  },
  'P31/evicts: a bundle evicts what is worse than its price, and never itself': async (scene) => {
    await scene.store.setLimits({ maxTxs: 3 });
    await scene.fill({ a: { priority: 1n }, b: { priority: 2n }, c: { priority: 9n } });
    await fillBundle(scene, { rich: { priority: 9n }, poor: { priority: 0n } });
    assert.deepEqual(await scene.ready(), ['c', 'rich', 'poor']);
  },
  'P31/in-a-block: a block that has all of a bundle confirms it, and a rollback returns it whole': async (scene) => {
    await between(scene);
    await scene.block(1);
    await scene.block(2, { seen: ['rich', 'poor'] });
    assert.deepEqual(await scene.stages('rich', 'poor'), ['Confirmed', 'Confirmed']);
    await scene.store.rollback({ slot: 20, hash: '1'.padStart(64, '0') });
    assert.deepEqual(await scene.ready(), ['better', 'rich', 'poor', 'worse']);
  },
  'P31/part-in-a-block: of a bundle that a block has in part, the rest is dropped as conflict': async (scene) => {
    await between(scene);
    await scene.block(1, { seen: ['rich'] });
    assert.deepEqual(await scene.stages('rich', 'poor'), ['Confirmed', 'Dropped']);
    assert.deepEqual(await scene.reasons('poor'), ['conflict']);
  },
  'P31/not-told: peers are not told of a bundle': async (scene) => {
    await between(scene);
    assert.deepEqual(await scene.gossip(), ['better', 'worse']);
  },
  'P31/repeated: a repeat under an operation id gets the first outcome': async (scene) => {
    const operationId = 'bundle';
    const first = await bundle(scene, { a: {}, b: {} }, { operationId });
    await scene.drop('a');
    assert.deepEqual(await bundle(scene, { a: {}, b: {} }, { operationId }), first);
    assert.deepEqual(await scene.stages('a', 'b'), ['Dropped', 'Dropped']);
  },
  'P31/closed: a closed pool takes no bundle': async (scene) => {
    await scene.store.setLimits({ acceptUntil: scene.clock.nowMs });
    const outcome = await bundle(scene, { a: {}, b: {} });
    assert.deepEqual(outcome, { kind: 'refused', refusal: { kind: 'closed', hash: scene.hash('a') } });
  },
  'P31/one-to-a-hundred: a bundle has one to a hundred transactions, each once': async (scene, { random }) => {
    const many = transactions(random, 101, 1);
    const [one] = many;
    assert.ok(one);
    for (const wrong of [[], many, [one, one]]) {
      const error = await rejection(scene.store.receiveBundle(wrong));
      assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === 'transactions');
    }
    for (const verdict of [{ protected: true }, { maxPriority: 5n, tip: 1n }]) {
      const error = await rejection(scene.store.receiveBundle([one, { ...one, hash: 'ff', verdict }]));
      assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
      assert.ok(String(error.details.field).startsWith('transactions[1].verdict.'));
    }
    assert.equal((await scene.store.receiveBundle(many.slice(1))).kind, 'received');
    assert.equal((await scene.store.receiveBundle([one])).kind, 'received');
  },
});

/** The events of one bundle's life: what happened to whom, and to which bundle each event belongs. */
async function lifeOf(scene: Scene): Promise<readonly [words: string[], bundle: number]> {
  let first = 0;
  const events = await scene.eventsOf(async () => {
    await scene.fill({ alone: {} });
    first = await fillBundle(scene, { rich: {}, poor: { provides: ['x'] } });
    await scene.mark('rich');
    await scene.release('rich');
    await scene.drop('poor');
  });
  const wordOf = (event: (typeof events)[number]): string => {
    if (event.kind !== 'transaction' && event.kind !== 'ready' && event.kind !== 'parked') return event.kind;
    const what = event.kind === 'transaction' ? event.stage : event.kind;
    return `${scene.names([event])} ${what} ${event.bundle ?? 'alone'}`;
  };
  return [events.map(wordOf), first];
}

const told = eachOnPriorityPool({
  'P31/events: each event of a transaction in a bundle names the bundle, and no other event does': async (scene) => {
    const [words, first] = await lifeOf(scene);
    assert.deepEqual(words, [
      'alone Pending alone',
      `rich Pending ${first}`,
      `poor Pending ${first}`,
      `rich Propagated ${first}`,
      `poor parked ${first}`,
      `rich Pending ${first}`,
      `poor ready ${first}`,
      `rich Dropped ${first}`,
      `poor Dropped ${first}`,
    ]);
  },
});

/** A bundle of which one is in flight, in a pool that is opened again, or elsewhere. */
async function assertHalf(scene: Scene): Promise<void> {
  assert.deepEqual([await scene.ready(), await scene.parked()], [['better', 'worse'], ['poor']]);
  await scene.release('rich');
  assert.deepEqual(await scene.ready(), ['better', 'rich', 'poor', 'worse']);
}

function many(count: number, name: string, draft: Draft): Drafts {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, { gas: 1, ...draft }]));
}

/** All of one sender: 990, and a bundle that goes beyond the thousand that one call moves. */
async function beyond(context: CaseContext, options: OpenOptions = {}): Promise<Scene> {
  const scene = await openScene(context, { ...options, maxPerSender: 2_000 });
  const draft = { sender: 's', expiresAt: scene.clock.nowMs + 5 };
  await scene.fill(many(990, 'alone', draft));
  await fillBundle(scene, many(100, 'part', draft));
  return scene;
}

const thousands = eachRanked({
  'P31/more-expired: nothing is left to sweep if the rest of a bundle leaves with the thousandth': async (context) => {
    const scene = await beyond(context);
    scene.clock.nowMs += 6;
    const { expired, more } = await scene.store.sweep();
    assert.deepEqual([expired.length, more, await scene.ready()], [1_000, false, []]);
  },
  'P31/more-overdue: the same of what is in flight too long': async (context) => {
    const scene = await beyond(context, { inflightTtlMs: 5 });
    await scene.store.take({}, { owner: 'o', claimMs: 1_000 });
    scene.clock.nowMs += 6;
    const { expired, more } = await scene.store.sweep();
    assert.deepEqual([expired.length, more, await scene.inflight()], [1_000, false, []]);
  },
  'P31/more-of-a-sender: the same of what is dropped of a sender': async (context) => {
    const scene = await beyond(context);
    const { dropped, more } = await scene.store.dropBySender('s', 'failed');
    assert.deepEqual([dropped.length, more, await scene.ready()], [1_000, false, []]);
  },
  'P31/more-over-limits: a sweep whose last bundle goes beyond the thousand tells that more is over the limits': async (
    context,
  ) => {
    const scene = await openScene(context);
    await scene.fill(many(30, 'worse', {}));
    for (let i = 0; i < 11; i++) await fillBundle(scene, many(100, `part ${i} `, { priority: 1n }));
    await scene.store.setLimits({ maxTxs: 10 });
    const { evicted, more } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([evicted.length, more], [1_030, true]);
  },
});

const reopened = eachRanked({
  'P31/kept: bundles outlive the process': async (context) => {
    const scene = await openScene(context);
    await between(scene);
    await scene.mark('rich');
    await scene.store.close();
    await assertHalf(await scene.another());
  },
}).map(needing('durable'));

const nodes = eachRanked({
  'P31/nodes: every node knows the bundles that others received': async (context) => {
    const scene = await openScene(context);
    const other = await scene.another();
    assert.deepEqual(await other.ready(), []);
    await between(scene);
    assert.deepEqual(await other.ready(), ['better', 'rich', 'poor', 'worse']);
    await scene.mark('rich');
    await assertHalf(other);
  },
}).map(needing('shared'));

const restored = eachRanked({
  'P31/restored: a restored pool has the bundles of the other one': async (context) => {
    const scene = await openScene(context);
    await between(scene);
    const copy = await openOther(context, { ordering: 'priority', now: () => scene.clock.nowMs });
    assert.deepEqual(await copy.store.restore(await scene.store.dump()), { kind: 'restored' });
    assert.deepEqual((await copy.store.dump()).entries, (await scene.dump()).entries);
    assert.deepEqual(scene.names(await copy.store.reap({ maxTxs: 2 })), ['better']);
  },
}).map(needing('restore'));

const arrivals = [
  onFifoPool('P31/fifo', 'a fifo pool takes no bundles', async (pool, store) => {
    const error = await rejection(store.receiveBundle(pool.transactions(2)));
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_UNSUPPORTED'));
  }),
];

/** P31. */
export const bundleCases: readonly ConformanceCase[] = [
  ...refused,
  ...onePool,
  ...told,
  ...thousands,
  ...reopened,
  ...nodes,
  ...restored,
  ...arrivals,
];
