import assert from 'node:assert/strict';
import { type AnyStore, isDamaged, isMempoolError, type MempoolErrorDetails, type OpenOptions } from 'mempool-core';
import type { CaseContext, ConformanceCase, Damage, Need } from '../../case/case.ts';
import { must } from '../../case/must.ts';
import { win } from '../../scenario/lease.ts';
import {
  block,
  cursorAt,
  emptyBlocks,
  finalizeIn,
  hashesOf,
  inflightOrder,
  kindsOf,
  pendingOrder,
  placeOf,
  point,
  receive,
  snapshot,
  stagesOf,
  statusOf,
  take,
  transaction,
  unknownStatus,
} from '../../scenario/pool.ts';

/** A pool whose records can be damaged between two opens. */
export interface Scene {
  readonly context: CaseContext;
  readonly store: AnyStore;
  readonly warnings: readonly string[];
  /** Closes the pool, damages the record, and opens the pool again. */
  damaged(record: Damage): Promise<Scene>;
}

export async function openScene(
  context: CaseContext,
  named: OpenOptions = {},
  warnings: string[] = [],
): Promise<Scene> {
  const store = await context.open({ ...named, log: (_level, message) => warnings.push(message) });
  const damaged = async (record: Damage): Promise<Scene> => {
    await store.close();
    await context.damage(record);
    return openScene(context, named, warnings);
  };
  return { context, store, warnings, damaged };
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

async function refusesAsDamaged(call: Promise<unknown>, details: MempoolErrorDetails = {}): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_CORRUPT'), `not ERR_MEMPOOL_CORRUPT: ${error}`);
    const told = Object.keys(details).map((name) => [name, error.details[name as keyof MempoolErrorDetails]]);
    assert.deepEqual(Object.fromEntries(told), details);
    return true;
  });
}

/** What is told of a transaction whose log entry is damaged: which final stage it had is not known. */
export const lost: readonly string[] = ['Dropped', 'damaged'];

export async function endsOf(store: AnyStore, hashes: readonly string[]): Promise<unknown[]> {
  return (await store.checkStatus(hashes)).map(({ stage, reason }) => [stage, reason]);
}

const payload: DamageCase = {
  name: 'payload',
  title: 'a damaged payload is named with hash and seq beside the others; it can be dropped',
  async run(before) {
    const hashes = hashesOf(await receive(before.context, before.store, 4));
    const [first = '', bad = '', ...rest] = hashes;
    const { store } = await before.damaged({ kind: 'payload', hash: bad });
    const damaged = [{ hash: bad, seq: 2 }];
    const page = await store.peekPending();
    assert.deepEqual([hashesOf(page.transactions), page.damaged], [[first, ...rest], damaged]);
    const alone = await store.peekPending({ after: await cursorAt(store, 'page', 1), limit: 1 });
    assert.deepEqual([alone.transactions, alone.damaged, placeOf(alone.next)], [[], damaged, 's2']);
    await store.markInflight([first, bad]);
    const found = await store.findInflight([bad, first]);
    assert.deepEqual([found[0], found[1]?.hash], [{ kind: 'damaged', hash: bad }, first]);
    const flying = await store.peekInflight();
    assert.deepEqual([hashesOf(flying.transactions), flying.damaged], [[first], damaged]);
    assert.deepEqual(await stagesOf(store, [first, bad]), ['Propagated', 'Propagated']);
    assert.equal((await block(store, 1, { seen: [bad] })).kind, 'applied');
    assert.equal((await store.rollback('origin')).kind, 'rolled-back');
    assert.deepEqual(await store.drop([bad], 'damaged'), [bad]);
    assert.deepEqual([await pendingOrder(store), await inflightOrder(store)], [rest, [first]]);
    const { entries, damaged: logged } = await store.dumpFinalized();
    assert.deepEqual([entries, logged], [[], [{ logSeq: 1 }]]);
  },
};

const state: DamageCase = {
  name: 'state',
  title: 'a transaction whose stage is damaged is named beside the others; a block confirms it, or it can be dropped',
  async run(before) {
    const [first = '', bad = '', seen = '', ready = ''] = hashesOf(await receive(before.context, before.store, 4));
    await before.store.markInflight([first, bad, seen]);
    const { store, context } = await (await before.damaged({ kind: 'state', hash: bad })).damaged({
      kind: 'state',
      hash: seen,
    });
    const damaged = await store.checkStatus([first, bad, ready]);
    assert.deepEqual(damaged[1], { ...unknownStatus(bad), stage: 'Damaged' });
    assert.deepEqual([damaged[0]?.stage, damaged[2]?.stage], ['Propagated', 'Pending']);
    assert.deepEqual(
      (await store.findInflight([bad, first])).map((one) => isDamaged(one)),
      [true, false],
    );
    const page = await store.peekInflight();
    assert.deepEqual(
      [hashesOf(page.transactions), page.damaged],
      [[first], [bad, seen].map((hash, i) => ({ hash, seq: i + 2 }))],
    );
    const [again] = await store.receive([{ ...transaction(context.random), hash: bad }]);
    assert.equal(again?.kind, 'duplicate');
    assert.equal((await block(store, 1, { seen: [seen] })).kind, 'applied');
    assert.deepEqual(await stagesOf(store, [seen]), ['Confirmed']);
    assert.deepEqual(await store.drop([bad], 'damaged'), [bad]);
    assert.deepEqual(await endsOf(store, [first, bad]), [['Propagated', null], lost]);
  },
};

const log: DamageCase = {
  name: 'log',
  title: 'a damaged log entry is named beside the others, and no block moves it',
  async run(before) {
    const hashes = hashesOf(await receive(before.context, before.store, 4));
    const [bad = '', ended = '', waiting = ''] = hashes;
    await before.store.drop([bad, ended], 'failed');
    const { store } = await before.damaged({ kind: 'log', logSeq: 1 });
    const page = await store.dumpFinalized();
    const { entries, damaged, cursor, hasMore } = page;
    assert.deepEqual([hashesOf(entries), damaged, placeOf(cursor), hasMore], [[ended], [{ logSeq: 1 }], 'l3', false]);
    assert.deepEqual(await endsOf(store, [bad, ended]), [lost, ['Dropped', 'failed']]);
    assert.deepEqual(await store.markInflight([bad, waiting]), [waiting]);
    assert.deepEqual(await store.drop([bad], 'invalid'), []);
    const applied = await block(store, 1, { seen: [bad, waiting] });
    assert.deepEqual([applied.kind, 'confirmed' in applied && applied.confirmed], ['applied', 1]);
    assert.equal((await store.rollback('origin')).kind, 'rolled-back');
    assert.deepEqual(await endsOf(store, [bad]), [lost]);
    assert.deepEqual(await pendingOrder(store), hashes.slice(2));
  },
};

const logAgain: DamageCase = {
  name: 'log-received',
  title: 'a hash with a damaged log entry can be received again, together with others',
  async run(before) {
    const [bad, other] = await receive(before.context, before.store, 2);
    assert.ok(bad && other);
    await before.store.drop([bad.hash], 'failed');
    const { store, context } = await before.damaged({ kind: 'log', logSeq: 1 });
    const outcomes = await store.receive([bad, other, transaction(context.random)]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate', 'received']);
    const { stage } = await statusOf(store, bad.hash);
    assert.equal(stage, 'Pending');
    assert.deepEqual((await pendingOrder(store)).slice(0, 2), hashesOf([other, bad]));
    assert.deepEqual((await store.dumpFinalized()).damaged, [{ logSeq: 1 }]);
  },
};

const logFinal: DamageCase = {
  name: 'log-finalized',
  title: 'a Finalized transaction with a damaged log entry is neither returned nor handed out',
  async run(before) {
    const [final = '', ready = ''] = hashesOf(await receive(before.context, before.store, 2));
    await finalizeIn(before.store, 1, [final]);
    const { store } = await before.damaged({ kind: 'log', logSeq: 1 });
    assert.deepEqual(await endsOf(store, [final]), [lost]);
    const undone = await store.rollback('origin');
    assert.deepEqual([undone.kind, 'returned' in undone && undone.returned], ['rolled-back', 0]);
    assert.deepEqual(await pendingOrder(store), [ready]);
  },
};

const chainPoint: DamageCase = {
  name: 'point',
  title: 'a damaged point is never reported as another point, and stops no block',
  async run(before) {
    await emptyBlocks(before.store, 1, 3);
    const { store, context } = await before.damaged({ kind: 'point', tick: 2 });
    await refusesAsDamaged(store.tip({ points: 10 }));
    assert.deepEqual((await store.tip({ points: 1 })).points, [point(3)]);
    await receive(context, store, 1);
    assert.equal((await block(store, 4)).kind, 'applied');
    assert.equal((await store.rollback(point(3))).kind, 'rolled-back');
    const kept = await snapshot(store);
    await refusesAsDamaged(store.rollback(point(1)));
    assert.deepEqual(await snapshot(store), kept);
  },
};

const event: DamageCase = {
  name: 'event',
  title: 'a damaged event is reported as missed, and the stream goes on after it',
  async run(before) {
    for (const _ of [1, 2, 3]) await receive(before.context, before.store, 1);
    const { store, context } = await before.damaged({ kind: 'event', eventSeq: 2 });
    const { signal } = context;
    const told = async (place: number, count: number) => {
      const after = await cursorAt(store, 'events', place);
      return (await take(await store.subscribe({ after, signal }), count)).map((event) =>
        event.kind === 'lagged' ? `missed ${event.missed}` : event.eventSeq,
      );
    };
    assert.deepEqual(await told(0, 3), [1, 'missed 1', 3]);
    assert.deepEqual(await told(1, 2), ['missed 1', 3]);
    await receive(context, store, 1);
    assert.deepEqual(await told(2, 2), [3, 4]);
  },
};

const operation: DamageCase = {
  name: 'operation',
  title: 'a call whose recorded outcome is damaged is not carried out again',
  async run(before) {
    const [one, other] = [transaction(before.context.random), transaction(before.context.random)];
    await before.store.receive([one], { operationId: 'first' });
    await before.store.receive([other], { operationId: 'second' });
    await before.store.drop([one.hash], 'failed');
    const { store } = await before.damaged({ kind: 'operation', operationId: 'first' });
    const kept = await snapshot(store);
    await refusesAsDamaged(store.receive([one], { operationId: 'first' }));
    assert.deepEqual(await store.receive([other], { operationId: 'second' }), [
      { kind: 'received', hash: other.hash, seq: 2, stage: 'Pending' },
    ]);
    assert.deepEqual(await snapshot(store), kept);
  },
};

const lease: DamageCase = {
  name: 'lease',
  title: 'while the lease is damaged no block is applied, and all other calls work',
  needs: ['lease', 'election'],
  async run(before) {
    const leases = await before.context.leases();
    const { nodeId, token, term } = await win(before.context, leases);
    await leases.close();
    const { store, context } = await before.damaged({ kind: 'lease' });
    const kept = await snapshot(store);
    const answer = await store
      .confirm({ point: point(1), seen: [], unseen: [] }, {}, { lease: { nodeId, token, term } })
      .then(({ kind }) => kind)
      .catch((error) => (isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') ? 'damaged' : Promise.reject(error)));
    assert.ok(['fenced', 'damaged'].includes(answer), answer);
    assert.deepEqual(await snapshot(store), kept);
    await receive(context, store, 1);
  },
};

const meta: DamageCase = {
  name: 'meta',
  title: 'a pool with damaged counters answers nothing from them',
  async run(before) {
    await receive(before.context, before.store, 2);
    const opened = before.damaged({ kind: 'meta' });
    const call = async <T>(run: (store: AnyStore) => Promise<T>) => run((await opened).store);
    await refusesAsDamaged(call((store) => store.receive([transaction(before.context.random)])));
    await refusesAsDamaged(call((store) => store.usage()));
    await refusesAsDamaged(call((store) => block(store, 1)));
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
