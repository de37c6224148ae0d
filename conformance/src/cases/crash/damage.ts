import assert from 'node:assert/strict';
import { isDamaged, isMempoolError, type OpenOptions } from 'mempool-core';
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
  title: 'a damaged payload is named with hash and seq beside the others; it can be dropped',
  async run(before) {
    const hashes = await before.pool.receiveHashes(4);
    const [first = '', bad = '', ...rest] = hashes;
    const { pool } = await before.damaged({ kind: 'payload', hash: bad });
    const damaged = [{ hash: bad, seq: 2 }];
    const page = await pool.store.peekPending();
    assert.deepEqual([hashesOf(page.transactions), page.damaged], [[first, ...rest], damaged]);
    const alone = await pool.store.peekPending({ after: await pool.cursor('page', 1), limit: 1 });
    assert.deepEqual([alone.transactions, alone.damaged, placeOf(alone.next)], [[], damaged, 's2']);
    await pool.mark(first, bad);
    const found = await pool.store.findInflight([bad, first]);
    assert.deepEqual([found[0], found[1]?.hash], [{ kind: 'damaged', hash: bad }, first]);
    const flying = await pool.store.peekInflight();
    assert.deepEqual([hashesOf(flying.transactions), flying.damaged], [[first], damaged]);
    assert.deepEqual(await pool.stages(first, bad), ['Propagated', 'Propagated']);
    assert.equal((await pool.block(1, { seen: [bad] })).kind, 'applied');
    assert.equal((await pool.store.rollback('origin')).kind, 'rolled-back');
    assert.deepEqual(await pool.store.drop([bad], 'damaged'), [bad]);
    assert.deepEqual([await pool.pending(), await pool.inflight()], [rest, [first]]);
    const { entries, damaged: logged } = await pool.store.dumpFinalized();
    assert.deepEqual([entries, logged], [[], [{ logSeq: 1 }]]);
  },
};

const state: DamageCase = {
  name: 'state',
  title: 'a transaction whose stage is damaged is named beside the others; a block confirms it, or it can be dropped',
  async run(before) {
    const [first = '', bad = '', seen = '', ready = ''] = await before.pool.receiveHashes(4);
    await before.pool.mark(first, bad, seen);
    const { pool } = await (await before.damaged({ kind: 'state', hash: bad })).damaged({
      kind: 'state',
      hash: seen,
    });
    const damaged = await pool.store.checkStatus([first, bad, ready]);
    assert.deepEqual(damaged[1], { ...unknownStatus(bad), stage: 'Damaged' });
    assert.deepEqual([damaged[0]?.stage, damaged[2]?.stage], ['Propagated', 'Pending']);
    assert.deepEqual(
      (await pool.store.findInflight([bad, first])).map((one) => isDamaged(one)),
      [true, false],
    );
    const page = await pool.store.peekInflight();
    assert.deepEqual(
      [hashesOf(page.transactions), page.damaged],
      [[first], [bad, seen].map((hash, i) => ({ hash, seq: i + 2 }))],
    );
    const [again] = await pool.store.receive([{ ...pool.transaction(), hash: bad }]);
    assert.equal(again?.kind, 'duplicate');
    assert.equal((await pool.block(1, { seen: [seen] })).kind, 'applied');
    assert.deepEqual(await pool.stages(seen), ['Confirmed']);
    assert.deepEqual(await pool.store.drop([bad], 'damaged'), [bad]);
    assert.deepEqual(await endsOf(pool, first, bad), [['Propagated', null], lost]);
  },
};

const log: DamageCase = {
  name: 'log',
  title: 'a damaged log entry is named beside the others, and no block moves it',
  async run(before) {
    const hashes = await before.pool.receiveHashes(4);
    const [bad = '', ended = '', waiting = ''] = hashes;
    await before.pool.drop(bad, ended);
    const { pool } = await before.damaged({ kind: 'log', logSeq: 1 });
    const page = await pool.store.dumpFinalized();
    const { entries, damaged, cursor, hasMore } = page;
    assert.deepEqual([hashesOf(entries), damaged, placeOf(cursor), hasMore], [[ended], [{ logSeq: 1 }], 'l3', false]);
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
    assert.deepEqual((await pool.store.dumpFinalized()).damaged, [{ logSeq: 1 }]);
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
