import assert from 'node:assert/strict';
import type { Verdict } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { must } from '../../case/must.ts';
import {
  finalizeIn,
  hashesOf,
  kindsOf,
  pendingOrder,
  placeOf,
  point,
  snapshot,
  stagesOf,
  transaction,
} from '../../scenario/pool.ts';
import { startMs } from '../../scenario/priority.ts';
import { endsOf, lost, openScene } from './damage.ts';

const entry = must(
  'M2/damaged-entry',
  'a transaction with a damaged verdict is reported, parked and never handed out, and no sweep drops it, until it is revised or dropped',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    const batch = [4n, 3n, 2n, 1n].map((priority) => ({ ...transaction(context.random), verdict: { priority } }));
    const [bad = '', second = '', third = '', last = ''] = hashesOf(batch);
    await before.store.receive(batch);
    const warned = before.warnings.length;
    const { store, warnings } = await before.damaged({ kind: 'entry', hash: bad });
    assert.ok(warnings.length > warned, 'nothing was told to the log');
    assert.deepEqual(hashesOf(await store.reap()), [second, third, last]);
    assert.deepEqual(hashesOf((await store.since()).items), [second, third, last]);
    assert.deepEqual(await pendingOrder(store), [second, third, last]);
    const parked = await store.peekParked();
    assert.deepEqual([parked.transactions, parked.damaged], [[], [{ hash: bad, seq: 1 }]]);
    assert.deepEqual(await store.markInflight([bad]), []);
    await store.setLimits({ maxParked: 0, maxTxs: 3, ttlMs: 3_600_000 });
    const { expired, evicted, more } = await store.sweep({ overLimits: true });
    assert.deepEqual([expired, evicted, more], [[], [last], false]);
    const { transactions } = await store.take({ maxTxs: 1 }, { owner: 'one', claimMs: 1_000 });
    assert.deepEqual(hashesOf(transactions), [second]);
    assert.equal((await store.payloads([bad]))[0]?.hash, bad);
    const [revised] = await store.revise([{ hash: bad, version: 1, answer: { priority: 9n } }]);
    assert.equal(revised?.kind, 'revised');
    assert.deepEqual((await store.sweep()).expired, []);
    assert.deepEqual(hashesOf(await store.reap()), [bad, third]);
    assert.deepEqual(await store.drop([bad], 'damaged'), [bad]);
  },
  ['durable', 'damage', 'priority'],
);

const entryTags = must(
  'M2/damaged-entry-tags',
  'while a damaged verdict is in flight, no newcomer with a tag is ready; a new verdict with the tag of another one is a conflict',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    const named = (priority: bigint, ...provides: readonly string[]) => ({
      ...transaction(context.random),
      verdict: { priority, provides, sender: provides.length === 0 ? '' : 'one' },
    });
    const [bad, ready, behind, tagged] = [named(1n, 'a'), named(2n), named(9n, 'a'), named(3n, 'c')] as const;
    const [newcomer, untagged] = [named(4n, 'd'), named(5n)] as const;
    await before.store.receive([bad]);
    await before.store.take({}, { owner: 'one', claimMs: 60_000, replaceable: true });
    await before.store.receive([ready, behind, tagged]);
    assert.deepEqual(hashesOf((await before.store.peekParked()).transactions), [behind.hash]);
    const { store } = await before.damaged({ kind: 'entry', hash: bad.hash });
    assert.deepEqual(kindsOf(await store.receive([newcomer, untagged])), ['received', 'received']);
    assert.deepEqual(hashesOf(await store.reap()), hashesOf([untagged, tagged, ready]));
    assert.deepEqual(hashesOf((await store.peekParked()).transactions), hashesOf([behind, newcomer]));
    await store.release([bad.hash]);
    assert.deepEqual(hashesOf(await store.reap()), hashesOf([behind, untagged, newcomer, tagged, ready]));
    const [answer] = await store.revise([{ hash: bad.hash, version: 1, answer: bad.verdict }]);
    assert.equal(answer?.kind, 'dropped');
    assert.deepEqual(await endsOf(store, [bad.hash, behind.hash]), [
      ['Dropped', 'conflict'],
      ['Pending', null],
    ]);
  },
  ['durable', 'damage', 'priority'],
);

const entryRevised = must(
  'M2/damaged-entry-revised',
  'the next verdict after a damaged one may name the sender and the tags again; they hold from then on',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    const verdict = { priority: 1n, sender: 'one', provides: ['a'], requires: [] };
    const [bad, child] = [
      { ...transaction(context.random), verdict },
      { ...transaction(context.random), verdict: { ...verdict, provides: ['b'], requires: ['a'] } },
    ];
    await before.store.receive([bad, child]);
    const { store } = await before.damaged({ kind: 'entry', hash: bad.hash });
    assert.deepEqual(await store.reap(), []);
    const [answer] = await store.revise([{ hash: bad.hash, version: 1, answer: verdict }]);
    assert.equal(answer?.kind, 'revised');
    assert.deepEqual(hashesOf(await store.reap()), hashesOf([bad, child]));
    assert.deepEqual(hashesOf((await store.bySender('one')).transactions), hashesOf([bad, child]));
    assert.equal((await store.byTag('a')).provider?.hash, bad.hash);
  },
  ['durable', 'damage', 'priority'],
);

const entrySender = must(
  'M2/damaged-entry-sender',
  'the next verdict after a damaged one is limited as a newcomer with its sender would be, and then changes nothing',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority', maxPerSender: 2 });
    const own = (verdict: Verdict) => ({ ...transaction(context.random), verdict: { sender: 'one', ...verdict } });
    const [bad, child, last] = [own({ provides: ['a'] }), own({ requires: ['a'] }), own({ priority: 1n })] as const;
    assert.deepEqual(kindsOf(await before.store.receive([bad, child, last])), ['received', 'received', 'sender-limit']);
    const { store } = await before.damaged({ kind: 'entry', hash: bad.hash });
    assert.deepEqual(kindsOf(await store.receive([last])), ['received']);
    const revise = async (answer: Verdict) => (await store.revise([{ hash: bad.hash, version: 1, answer }]))[0];
    const limited = { kind: 'limit', hash: bad.hash, limit: 'maxPerSender' };
    const kept = await snapshot(store);
    assert.deepEqual(await revise({ sender: 'one' }), limited);
    assert.deepEqual(await revise({ sender: 'one', provides: ['a'], senderLimit: 2 }), limited);
    assert.deepEqual(await snapshot(store), kept);
    assert.deepEqual((await store.peekParked()).damaged, [{ hash: bad.hash, seq: 1 }]);
    // It fills the gap before its child (P22).
    assert.deepEqual(await revise({ sender: 'one', provides: ['a'] }), {
      kind: 'revised',
      hash: bad.hash,
      version: 2,
    });
    assert.deepEqual(hashesOf(await store.reap()), hashesOf([last, bad, child]));
  },
  ['durable', 'damage', 'priority'],
);

const entryFinal = must(
  'M2/damaged-entry-final',
  'a damaged verdict that is Finalized satisfies no tag and blocks nobody; a block may name the tag, and what requires it expires',
  async (context) => {
    const clock = { nowMs: startMs };
    const options = { ordering: 'priority', now: () => clock.nowMs, parkedTtlMs: 500 } as const;
    const before = await openScene(context, options);
    const named = (priority: bigint, verdict: Verdict) => ({
      ...transaction(context.random),
      verdict: { priority, ...verdict },
    });
    const [bad, helped, child] = [
      named(9n, { provides: ['a', 'b'] }),
      named(8n, { requires: ['a'] }),
      named(7n, { requires: ['b'] }),
    ] as const;
    const newcomer = named(6n, { provides: ['c'] });
    await before.store.receive([bad]);
    await before.store.markInflight([bad.hash]);
    await before.store.receive([helped, child]);
    assert.deepEqual(hashesOf(await before.store.reap()), hashesOf([helped, child]));
    clock.nowMs += 86_400_000;
    const { store } = await before.damaged({ kind: 'entry', hash: bad.hash });
    const expiredAfter = async (ms: number) => {
      clock.nowMs += ms;
      return (await store.sweep()).expired;
    };
    // What was ready until the damage has not waited for long, however old it is.
    assert.deepEqual(await expiredAfter(0), []);
    await store.receive([newcomer]);
    assert.deepEqual(hashesOf((await store.peekParked()).transactions), hashesOf([helped, child, newcomer]));
    await finalizeIn(store, 1, [bad.hash]);
    assert.deepEqual(await stagesOf(store, [bad.hash]), ['Finalized']);
    assert.deepEqual(hashesOf(await store.reap()), [newcomer.hash]);
    await store.confirm({ point: point(2), seen: [], unseen: [], provides: ['a'] });
    assert.deepEqual(hashesOf(await store.reap()), hashesOf([helped, newcomer]));
    assert.deepEqual(await expiredAfter(500), []);
    assert.deepEqual(await expiredAfter(1), [child.hash]);
    assert.deepEqual(await endsOf(store, [child.hash]), [['Dropped', 'expired']]);
  },
  ['durable', 'damage', 'priority'],
);

const gossip = must(
  'M2/damaged-gossip',
  'a damaged payload is named in the gossip of a priority pool and in a claim, beside the others, and can be dropped',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    const batch = [3n, 2n, 1n].map((priority) => ({ ...transaction(context.random), verdict: { priority } }));
    const [first = '', bad = '', third = ''] = hashesOf(batch);
    await before.store.receive(batch);
    const { store } = await before.damaged({ kind: 'payload', hash: bad });
    const page = await store.since();
    assert.deepEqual([hashesOf(page.items), page.damaged], [[first, third], [{ hash: bad, seq: 2 }]]);
    assert.equal(placeOf(page.next), 'g3');
    assert.deepEqual(hashesOf((await store.since({ hashesOnly: true })).items), [first, bad, third]);
    const { transactions } = await store.take({}, { owner: 'one', claimMs: 1_000, operationId: 'one', payloads: true });
    assert.deepEqual(
      transactions.map((one) => ('kind' in one ? one : one.hash)),
      [first, { kind: 'damaged', hash: bad }, third],
    );
    assert.deepEqual(await store.drop([bad], 'damaged', { claim: 'one' }), [bad]);
    assert.deepEqual(await endsOf(store, [bad]), [lost]);
  },
  ['durable', 'damage', 'priority'],
);

/** Cases of damage to records that only a priority pool keeps. */
export const verdictDamageCases: readonly ConformanceCase[] = [
  entry,
  entryTags,
  entryRevised,
  entrySender,
  entryFinal,
  gossip,
];
