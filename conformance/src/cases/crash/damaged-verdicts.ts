import assert from 'node:assert/strict';
import type { Verdict } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { must } from '../../case/must.ts';
import { startMs } from '../../scenario/on-pool.ts';
import { hashesOf, kindsOf, placeOf, point, transaction } from '../../scenario/pool.ts';
import { endsOf, lost, openScene } from './damage.ts';

const entry = must(
  'M2/damaged-entry',
  'a transaction with a damaged verdict is reported, parked and never handed out, and no sweep drops it, until it is revised or dropped',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    const batch = [4n, 3n, 2n, 1n].map((priority) => ({ ...transaction(context.random), verdict: { priority } }));
    const [bad = '', second = '', third = '', last = ''] = hashesOf(batch);
    await before.pool.store.receive(batch);
    const warned = before.warnings.length;
    const { pool, warnings } = await before.damaged({ kind: 'entry', hash: bad });
    assert.ok(warnings.length > warned, 'nothing was told to the log');
    assert.deepEqual(hashesOf(await pool.store.reap()), [second, third, last]);
    assert.deepEqual(hashesOf((await pool.store.since()).items), [second, third, last]);
    assert.deepEqual(await pool.pending(), [second, third, last]);
    const parked = await pool.store.peekParked();
    assert.deepEqual([parked.transactions, parked.damaged], [[], [{ hash: bad, seq: 1 }]]);
    assert.deepEqual(await pool.mark(bad), []);
    await pool.store.setLimits({ maxParked: 0, maxTxs: 3, ttlMs: 3_600_000 });
    const { expired, evicted, more } = await pool.store.sweep({ overLimits: true });
    assert.deepEqual([expired, evicted, more], [[], [last], false]);
    const { transactions } = await pool.store.take({ maxTxs: 1 }, { owner: 'one', claimMs: 1_000 });
    assert.deepEqual(hashesOf(transactions), [second]);
    assert.equal((await pool.store.payloads([bad]))[0]?.hash, bad);
    const [revised] = await pool.store.revise([{ hash: bad, version: 1, answer: { priority: 9n } }]);
    assert.equal(revised?.kind, 'revised');
    assert.deepEqual((await pool.store.sweep()).expired, []);
    assert.deepEqual(hashesOf(await pool.store.reap()), [bad, third]);
    assert.deepEqual(await pool.store.drop([bad], 'damaged'), [bad]);
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
    await before.pool.store.receive([bad]);
    await before.pool.store.take({}, { owner: 'one', claimMs: 60_000 });
    await before.pool.store.receive([ready, tagged]);
    const { pool } = await before.damaged({ kind: 'entry', hash: bad.hash });
    const received = await pool.store.receive([behind, newcomer, untagged]);
    assert.deepEqual(kindsOf(received), ['received', 'received', 'received']);
    assert.deepEqual(hashesOf(await pool.store.reap()), hashesOf([untagged, tagged, ready]));
    assert.deepEqual(hashesOf((await pool.store.peekParked()).transactions), hashesOf([behind, newcomer]));
    await pool.release(bad.hash);
    assert.deepEqual(hashesOf(await pool.store.reap()), hashesOf([behind, untagged, newcomer, tagged, ready]));
    const [answer] = await pool.store.revise([{ hash: bad.hash, version: 1, answer: bad.verdict }]);
    assert.equal(answer?.kind, 'dropped');
    assert.deepEqual(await endsOf(pool, bad.hash, behind.hash), [
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
    await before.pool.store.receive([bad, child]);
    const { pool } = await before.damaged({ kind: 'entry', hash: bad.hash });
    assert.deepEqual(await pool.store.reap(), []);
    const [answer] = await pool.store.revise([{ hash: bad.hash, version: 1, answer: verdict }]);
    assert.equal(answer?.kind, 'revised');
    assert.deepEqual(hashesOf(await pool.store.reap()), hashesOf([bad, child]));
    assert.deepEqual(hashesOf((await pool.store.bySender('one')).transactions), hashesOf([bad, child]));
    assert.equal((await pool.store.byTag('a')).provider?.hash, bad.hash);
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
    assert.deepEqual(kindsOf(await before.pool.store.receive([bad, child, last])), [
      'received',
      'received',
      'sender-limit',
    ]);
    const { pool } = await before.damaged({ kind: 'entry', hash: bad.hash });
    assert.deepEqual(kindsOf(await pool.store.receive([last])), ['received']);
    const revise = async (answer: Verdict) => (await pool.store.revise([{ hash: bad.hash, version: 1, answer }]))[0];
    const limited = { kind: 'limit', hash: bad.hash, limit: 'maxPerSender' };
    const kept = await pool.snapshot();
    assert.deepEqual(await revise({ sender: 'one' }), limited);
    assert.deepEqual(await revise({ sender: 'one', provides: ['a'], senderLimit: 2 }), limited);
    assert.deepEqual(await pool.snapshot(), kept);
    assert.deepEqual((await pool.store.peekParked()).damaged, [{ hash: bad.hash, seq: 1 }]);
    // It fills the gap before its child (P22).
    assert.deepEqual(await revise({ sender: 'one', provides: ['a'] }), {
      kind: 'revised',
      hash: bad.hash,
      version: 2,
    });
    assert.deepEqual(hashesOf(await pool.store.reap()), hashesOf([last, bad, child]));
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
    await before.pool.store.receive([bad]);
    await before.pool.mark(bad.hash);
    await before.pool.store.receive([helped, child]);
    assert.deepEqual(hashesOf(await before.pool.store.reap()), hashesOf([helped, child]));
    clock.nowMs += 86_400_000;
    const { pool } = await before.damaged({ kind: 'entry', hash: bad.hash });
    const expiredAfter = async (ms: number) => {
      clock.nowMs += ms;
      return (await pool.store.sweep()).expired;
    };
    // What was ready until the damage has not waited for long, however old it is.
    assert.deepEqual(await expiredAfter(0), []);
    await pool.store.receive([newcomer]);
    assert.deepEqual(hashesOf((await pool.store.peekParked()).transactions), hashesOf([helped, child, newcomer]));
    await pool.finalizeIn(1, bad.hash);
    assert.deepEqual(await pool.stages(bad.hash), ['Finalized']);
    assert.deepEqual(hashesOf(await pool.store.reap()), [newcomer.hash]);
    await pool.store.confirm({ point: point(2), seen: [], unseen: [], provides: ['a'] });
    assert.deepEqual(hashesOf(await pool.store.reap()), hashesOf([helped, newcomer]));
    assert.deepEqual(await expiredAfter(500), []);
    assert.deepEqual(await expiredAfter(1), [child.hash]);
    assert.deepEqual(await endsOf(pool, child.hash), [['Dropped', 'expired']]);
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
    await before.pool.store.receive(batch);
    const { pool } = await before.damaged({ kind: 'payload', hash: bad });
    const page = await pool.store.since();
    assert.deepEqual([hashesOf(page.items), page.damaged], [[first, third], [{ hash: bad, seq: 2 }]]);
    assert.equal(placeOf(page.next), 'g3');
    assert.deepEqual(hashesOf((await pool.store.since({ hashesOnly: true })).items), [first, bad, third]);
    const { transactions } = await pool.store.take(
      {},
      { owner: 'one', claimMs: 1_000, operationId: 'one', payloads: true },
    );
    assert.deepEqual(
      transactions.map((one) => ('kind' in one ? one : one.hash)),
      [first, { kind: 'damaged', hash: bad }, third],
    );
    assert.deepEqual(await pool.store.drop([bad], 'damaged', { claim: 'one' }), [bad]);
    assert.deepEqual(await endsOf(pool, bad), [lost]);
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
