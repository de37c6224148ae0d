import assert from 'node:assert/strict';
import { isMempoolError, type OpenOptions } from 'mempool-core';
import type { CaseContext, ConformanceCase, Damage, Need } from '../../case/case.ts';
import { must } from '../../case/must.ts';
import { win } from '../../scenario/lease.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { hashesOf, kindsOf, type Pool, placeOf, point, take, unknownStatus } from '../../scenario/pool.ts';
import { refuses } from '../../scenario/verb-call.ts';

/** A pool whose records can be damaged between two opens. */
export interface Scene {
  readonly pool: Pool;
  readonly warnings: readonly string[];
  /** Closes the pool, damages the record, and opens the pool again. */
  damaged(record: Damage): Promise<Scene>;
}

export async function openScene(
  context: CaseContext,
  named: OpenOptions = {},
  warnings: string[] = [],
): Promise<Scene> {
  const pool = await openPool(context, { ...named, log: (_level, message) => warnings.push(message) });
  const damaged = async (record: Damage): Promise<Scene> => {
    await pool.store.close();
    await context.damage(record);
    return openScene(context, named, warnings);
  };
  return { pool, warnings, damaged };
}

interface DamageCase {
  readonly name: string;
  readonly title: string;
  readonly needs?: readonly Need[];
  run(scene: Scene): Promise<void>;
}

function caseOf({ name, title, needs = [], run }: DamageCase): ConformanceCase {
  const damaged: ConformanceCase['run'] = async (context) => run(await openScene(context));
  return must(`M2/damaged-${name}`, title, damaged, ['durable', 'damage', ...needs]);
}

/** What is told of a transaction whose log entry is damaged: which final stage it had is not known. */
export const lost: readonly string[] = ['Dropped', 'damaged'];

export async function endsOf(pool: Pool, ...hashes: readonly string[]): Promise<unknown[]> {
  return (await pool.statuses(hashes)).map(({ stage, reason }) => [stage, reason]);
}

const payload: DamageCase = {
  name: 'payload',
  title: 'reads skip a damaged Pending transaction, report it once and change nothing; the next write drops it',
  async run(before) {
    const [first = '', bad = '', ...rest] = await before.pool.receiveHashes(4);
    const { pool, warnings } = await before.damaged({ kind: 'payload', hash: bad });
    const { lastEventSeq } = await pool.store.usage();
    for (const _ of [1, 2]) assert.deepEqual(await pool.pending(), [first, ...rest]);
    const next = await pool.store.peekPending({ after: await pool.cursor('page', 1), limit: 1 });
    assert.deepEqual(hashesOf(next.transactions), rest.slice(0, 1));
    assert.equal(warnings.filter((message) => message.includes(bad)).length, 1);
    assert.deepEqual(await endsOf(pool, bad), [['Pending', null]]);
    assert.equal((await pool.store.usage()).lastEventSeq, lastEventSeq);
    await pool.mark(first);
    assert.deepEqual(await endsOf(pool, bad), [lost]);
    assert.deepEqual(await pool.pending(), rest);
    assert.deepEqual((await pool.store.dumpFinalized()).entries, []);
  },
};

const sweep: DamageCase = {
  name: 'payload-swept',
  title: 'a sweep drops a damaged Pending transaction that a read has met',
  async run(before) {
    const [bad = ''] = await before.pool.receiveHashes(2);
    const { pool } = await before.damaged({ kind: 'payload', hash: bad });
    await pool.pending();
    await pool.store.sweep();
    assert.deepEqual(await endsOf(pool, bad), [lost]);
  },
  needs: ['arrival-verbs'],
};

const again: DamageCase = {
  name: 'payload-again',
  title: 'a damaged transaction can be received again, with a payload that is intact',
  async run(before) {
    const [one] = await before.pool.receive(1);
    assert.ok(one);
    const { pool } = await before.damaged({ kind: 'payload', hash: one.hash });
    assert.deepEqual(await pool.pending(), []);
    const [outcome] = await pool.store.receive([one]);
    assert.equal(outcome?.kind, 'received');
    assert.deepEqual(await pool.pending(), [one.hash]);
    await pool.receive(1);
    assert.deepEqual(await pool.stages(one.hash), ['Pending']);
  },
};

const inflight: DamageCase = {
  name: 'payload-inflight',
  title:
    'a damaged transaction in flight keeps its stage and follows the blocks; where it returns to Pending it is dropped',
  async run(before) {
    const [intact = '', bad = '', released = ''] = await before.pool.receiveHashes(3);
    await before.pool.mark(intact, bad, released);
    const once = await before.damaged({ kind: 'payload', hash: bad });
    const { pool, warnings } = await once.damaged({ kind: 'payload', hash: released });
    assert.deepEqual(await pool.inflight(), [intact]);
    assert.deepEqual(
      (await pool.store.findInflight([bad, intact])).map((one) => one?.hash ?? null),
      [null, intact],
    );
    assert.deepEqual(await pool.stages(bad, released), ['Propagated', 'Propagated']);
    assert.equal(warnings.filter((message) => message.includes(bad)).length, 1);
    assert.equal((await pool.block(1, { seen: [bad] })).kind, 'applied');
    assert.deepEqual(await endsOf(pool, bad, released), [
      ['Confirmed', null],
      ['Propagated', null],
    ]);
    assert.deepEqual(await pool.store.release([released]), [released]);
    assert.deepEqual(await endsOf(pool, bad, released), [['Confirmed', null], lost]);
    assert.equal((await pool.store.rollback('origin')).kind, 'rolled-back');
    assert.deepEqual(await endsOf(pool, intact, bad), [['Propagated', null], lost]);
    assert.deepEqual(await pool.pending(), []);
  },
};

const state: DamageCase = {
  name: 'state',
  title: 'a transaction whose stage is damaged counts as in flight; a block confirms it, or it can be dropped',
  async run(before) {
    const [first = '', bad = '', seen = '', ready = ''] = await before.pool.receiveHashes(4);
    await before.pool.mark(first, bad, seen);
    const once = await before.damaged({ kind: 'state', hash: bad });
    const { pool } = await once.damaged({ kind: 'state', hash: seen });
    const flying = { ...unknownStatus(bad), stage: 'Propagated' };
    const [whole, damaged, waiting] = await pool.store.status([first, bad, ready]);
    assert.deepEqual([whole?.stage, damaged?.stage, waiting?.stage], ['Propagated', flying.stage, 'Pending']);
    const [again] = await pool.store.receive([{ ...pool.transaction(), hash: bad }]);
    assert.equal(again?.kind, 'duplicate');
    assert.equal((await pool.block(1, { seen: [seen] })).kind, 'applied');
    assert.deepEqual(await pool.stages(seen, bad), ['Confirmed', 'Propagated']);
    assert.deepEqual(await pool.store.drop([bad], 'damaged'), [bad]);
    assert.deepEqual(await endsOf(pool, first, bad), [['Propagated', null], lost]);
  },
};

const log: DamageCase = {
  name: 'log',
  title: 'a damaged log entry is skipped with a report, and no block moves it',
  async run(before) {
    const hashes = await before.pool.receiveHashes(4);
    const [bad = '', ended = '', waiting = ''] = hashes;
    await before.pool.drop(bad, ended);
    const { pool, warnings } = await before.damaged({ kind: 'log', logSeq: 1 });
    const { entries, cursor, hasMore } = await pool.store.dumpFinalized();
    assert.deepEqual([hashesOf(entries), placeOf(cursor), hasMore], [[ended], 'l3', false]);
    assert.equal(warnings.filter((message) => message.includes('log entry 1')).length, 1);
    assert.deepEqual(await endsOf(pool, bad, ended), [lost, ['Dropped', 'failed']]);
    assert.deepEqual(await pool.mark(bad, waiting), [waiting]);
    assert.deepEqual(await pool.store.drop([bad], 'invalid'), []);
    const applied = await pool.block(1, { seen: [bad, waiting] });
    assert.deepEqual([applied.kind, 'confirmed' in applied && applied.confirmed], ['applied', 1]);
    assert.equal((await pool.store.rollback('origin')).kind, 'rolled-back');
    assert.deepEqual(await endsOf(pool, bad), [lost]);
    assert.deepEqual(await pool.pending(), hashes.slice(2));
  },
};

const gossip: DamageCase = {
  name: 'gossip',
  title: 'gossip skips a damaged payload, also where it is alone on a page',
  needs: ['arrival-verbs'],
  async run(before) {
    const [first, bad = '', third] = await before.pool.receiveHashes(3);
    const { pool } = await before.damaged({ kind: 'payload', hash: bad });
    const page = await pool.store.since();
    assert.deepEqual([hashesOf(page.items), placeOf(page.next)], [[first, third], 'g3']);
    const after = await pool.cursor('gossip', 1);
    assert.deepEqual(hashesOf((await pool.store.since({ after, limit: 1 })).items), [third]);
    assert.deepEqual(hashesOf((await pool.store.since({ hashesOnly: true })).items), [first, bad, third]);
  },
};

/** The hashes of the live transactions in an export. */
async function liveIn({ store }: Pool): Promise<string[]> {
  const hashes: string[] = [];
  for await (const line of store.export()) {
    const { kind, hash } = JSON.parse(line) as { readonly kind: string; readonly hash: string };
    if (kind === 'live') hashes.push(hash);
  }
  return hashes;
}

const exported: DamageCase = {
  name: 'export',
  title: 'an export leaves a damaged Pending transaction out, with a report; a damaged one in flight stops it',
  needs: ['import'],
  async run(before) {
    const [intact = '', bad = '', flying = ''] = await before.pool.receiveHashes(3);
    await before.pool.mark(flying);
    const { pool, warnings, damaged } = await before.damaged({ kind: 'payload', hash: bad });
    const hashes = await liveIn(pool);
    assert.deepEqual(hashes, [intact, flying]);
    assert.equal(warnings.filter((message) => message.includes(bad)).length, 1);
    const again = await damaged({ kind: 'payload', hash: flying });
    await refuses(liveIn(again.pool), 'ERR_MEMPOOL_CORRUPT');
  },
};

const logAgain: DamageCase = {
  name: 'log-received',
  title: 'a hash with a damaged log entry can be received again, together with others',
  async run(before) {
    const [bad, other] = await before.pool.receive(2);
    assert.ok(bad && other);
    await before.pool.drop(bad.hash);
    const { pool } = await before.damaged({ kind: 'log', logSeq: 1 });
    const outcomes = await pool.store.receive([bad, other, pool.transaction()]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate', 'received']);
    const { stage } = await pool.status(bad.hash);
    assert.equal(stage, 'Pending');
    assert.deepEqual((await pool.pending()).slice(0, 2), hashesOf([other, bad]));
    assert.deepEqual((await pool.store.dumpFinalized()).entries, []);
  },
};

const logFinal: DamageCase = {
  name: 'log-finalized',
  title: 'a Finalized transaction with a damaged log entry is neither returned nor handed out',
  async run(before) {
    const [final = '', ready = ''] = await before.pool.receiveHashes(2);
    await before.pool.finalizeIn(1, final);
    const { pool } = await before.damaged({ kind: 'log', logSeq: 1 });
    assert.deepEqual(await endsOf(pool, final), [lost]);
    const undone = await pool.store.rollback('origin');
    assert.deepEqual([undone.kind, 'returned' in undone && undone.returned], ['rolled-back', 0]);
    assert.deepEqual(await pool.pending(), [ready]);
  },
};

const chainPoint: DamageCase = {
  name: 'point',
  title: 'a damaged point is never reported as another point, and stops no block',
  async run(before) {
    await before.pool.blocks(1, 3);
    const { pool } = await before.damaged({ kind: 'point', tick: 2 });
    await refuses(pool.store.tip({ points: 10 }), 'ERR_MEMPOOL_CORRUPT');
    assert.deepEqual((await pool.store.tip({ points: 1 })).points, [point(3)]);
    await pool.receive(1);
    assert.equal((await pool.block(4)).kind, 'applied');
    assert.equal((await pool.rollback(3)).kind, 'rolled-back');
    const kept = await pool.snapshot();
    await refuses(pool.rollback(1), 'ERR_MEMPOOL_CORRUPT');
    assert.deepEqual(await pool.snapshot(), kept);
  },
};

const event: DamageCase = {
  name: 'event',
  title: 'a damaged event is reported as missed, and the stream goes on after it',
  async run(before) {
    for (const _ of [1, 2, 3]) await before.pool.receive(1);
    const { pool } = await before.damaged({ kind: 'event', eventSeq: 2 });
    const told = async (place: number, count: number) => {
      const after = await pool.cursor('events', place);
      return (await take(await pool.subscribe({ after }), count)).map((event) =>
        event.kind === 'lagged' ? `missed ${event.missed}` : event.eventSeq,
      );
    };
    assert.deepEqual(await told(0, 3), [1, 'missed 1', 3]);
    assert.deepEqual(await told(1, 2), ['missed 1', 3]);
    await pool.receive(1);
    assert.deepEqual(await told(2, 2), [3, 4]);
  },
};

const operation: DamageCase = {
  name: 'operation',
  title: 'a call whose recorded outcome is damaged is not carried out again',
  async run(before) {
    const [one, other] = [before.pool.transaction(), before.pool.transaction()];
    await before.pool.store.receive([one], { operationId: 'first' });
    await before.pool.store.receive([other], { operationId: 'second' });
    await before.pool.drop(one.hash);
    const { pool } = await before.damaged({ kind: 'operation', operationId: 'first' });
    const kept = await pool.snapshot();
    await refuses(pool.store.receive([one], { operationId: 'first' }), 'ERR_MEMPOOL_CORRUPT');
    assert.deepEqual(await pool.store.receive([other], { operationId: 'second' }), [
      { kind: 'received', hash: other.hash, seq: 2, stage: 'Pending' },
    ]);
    assert.deepEqual(await pool.snapshot(), kept);
  },
};

const lease: DamageCase = {
  name: 'lease',
  title: 'while the lease is damaged no block is applied, and all other calls work',
  needs: ['lease', 'election'],
  async run(before) {
    const leases = await before.pool.context.leases();
    const { nodeId, token, term } = await win(before.pool.context, leases);
    await leases.close();
    const { pool } = await before.damaged({ kind: 'lease' });
    const kept = await pool.snapshot();
    const answer = await pool.store
      .confirm({ point: point(1), seen: [], unseen: [] }, {}, { lease: { nodeId, token, term } })
      .then(({ kind }) => kind)
      .catch((error) => (isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') ? 'damaged' : Promise.reject(error)));
    assert.ok(['fenced', 'damaged'].includes(answer), answer);
    assert.deepEqual(await pool.snapshot(), kept);
    await pool.receive(1);
  },
};

const meta: DamageCase = {
  name: 'meta',
  title: 'a pool with damaged counters answers nothing from them',
  async run(before) {
    await before.pool.receive(2);
    const opened = before.damaged({ kind: 'meta' });
    const call = async <T>(run: (pool: Pool) => Promise<T>) => run((await opened).pool);
    await refuses(
      call((pool) => pool.receive(1)),
      'ERR_MEMPOOL_CORRUPT',
    );
    await refuses(
      call((pool) => pool.store.usage()),
      'ERR_MEMPOOL_CORRUPT',
    );
    await refuses(
      call((pool) => pool.block(1)),
      'ERR_MEMPOOL_CORRUPT',
    );
  },
};

export const damageCases: readonly ConformanceCase[] = [
  payload,
  sweep,
  again,
  inflight,
  gossip,
  exported,
  state,
  log,
  logAgain,
  logFinal,
  chainPoint,
  event,
  operation,
  lease,
  meta,
].map(caseOf);
