import { setImmediate as turn } from 'node:timers/promises';
import {
  type LifecycleVerb,
  lifecycleVerbs,
  type Stage,
  type StoredTransaction,
  type Transaction,
  transitions,
} from 'mempool-core';
import { type CheckedBlock, invalid, type MoveVerb, type TxState } from 'mempool-core/backend';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import { sorted } from './page-operators.ts';
import { eventOf, type PlantedDriver } from './planted-driver.ts';
import { stores } from './store-operators.ts';

/** Changes every live record that is read. */
function reading(id: string, change: (record: StoredTransaction) => object | false): Mutant {
  return fifo.each(id, { peekPending: change, peekInflight: change, findInflight: change });
}

/** Refuses a call for one of its transactions. */
function refusing(id: string, field: string, isRefused: (one: Transaction) => boolean): Mutant {
  return fifo.givenEach(id, {
    receive: (one) => {
      if (isRefused(one)) throw invalid(field, 'another');
    },
  });
}

/** L1 and L2. */
export const receivingMutants: readonly Mutant[] = [
  fifo.around('newest-first-in-a-call', {
    receive: ({ pool, given: [all, context] }) => pool.receive(all.toReversed(), context).toReversed(),
  }),
  fifo.told('newest-first-when-read', {
    peekPending: ({ transactions }) => ({ transactions: transactions.toReversed() }),
  }),
  fifo.view('seq-from-one-in-every-call', () => ({ lastSeq: 0 })),
  fifo.told('seq-told-is-the-place-in-the-call', {
    receive: (told) => told.map((one, i) => ({ ...one, ...(one.kind === 'received' && { seq: i + 1 }) })),
  }),
  reading('seq-changes-with-the-stage', ({ seq, stage }) => stage === 'Acknowledged' && { seq: seq + 1_000 }),
  reading('type-lost', () => ({ payloadType: 0 })),
  reading('type-in-one-byte', ({ payloadType }) => ({ payloadType: payloadType & 0xff })),
  reading('payload-cut-at-4096', ({ payload }) => ({ payload: payload.subarray(0, 4_096) })),
  refusing('empty-payload-refused', 'payload', ({ payload }) => payload.length === 0),
  refusing('hashes-of-32-bytes-only', 'hash', ({ hash }) => hash.length !== 64),
  fifo.each('hashes-known-by-16-bytes', {
    checkStatus: ({ hash }, { pool }) => ({ stage: pool.checkStatus([hash.slice(0, 32)])[0]?.stage }),
  }),
  reading(
    'begins-with-an-age',
    ({ stage, nonConfirmations }) => stage === 'Pending' && { nonConfirmations: nonConfirmations + 1 },
  ),
  fifo.each('duplicate-replaces-the-payload', {
    receive: ({ hash }, { given: [all], notes }) =>
      void notes.patches.set(hash, all.find((one) => one.hash === hash) ?? {}),
    peekPending: ({ hash }, { notes }) => notes.patches.get(hash),
  }),
  fifo.told('hash-twice-in-a-call-received-twice', {
    receive: (told) => told.map(({ hash }) => told.find((one) => one.hash === hash)),
  }),
  fifo.told('duplicates-answered-last', { receive: (told) => told.toSorted((a, b) => b.kind.localeCompare(a.kind)) }),
  fifo.told('duplicate-makes-an-event', {
    receive: ([one], { pool }) => {
      if (one?.kind === 'duplicate') pool.announce([eventOf(one, one.stage)]);
    },
  }),
  fifo.told('duplicate-takes-a-seq', {
    receive: (told, { notes }) => {
      notes.count += told.filter(({ kind }) => kind === 'duplicate').length;
    },
    usage: ({ lastSeq }, { notes }) => ({ lastSeq: lastSeq + notes.count }),
  }),
  fifo.around('looks-and-receives-in-two-steps', {
    receive: async ({ pool, given: [all, context] }) => {
      const before = all.map(({ hash }) => pool.stageOf(hash));
      await turn();
      return pool
        .receive(all, context)
        .map((one, i) => (before[i] === 'Unknown' ? { seq: 0, ...one, kind: 'received', stage: 'Pending' } : one));
    },
  }),
  fifo.writes(
    'new-life-at-the-old-place',
    ({ hash, seq }, verb, pool) => verb === 'receive' && { seq: pool.txState(hash)?.seq ?? seq },
  ),
  fifo.decided('new-life-with-the-old-payload', ({ writes }, _, pool) => ({
    writes: writes.map((write) => (pool.txState(write.after.hash) === null ? write : { ...write, body: null })),
  })),
  fifo.each('new-life-with-the-old-reason', {
    drop: (hash, { given: [, reason], notes }) => void notes.patches.set(hash, { reason }),
    checkStatus: ({ hash }, { notes }) => notes.patches.get(hash),
  }),
  fifo.around('dropped-hash-is-a-duplicate', {
    receive: ({ pool, given: [all, context] }) => {
      const gone = all.map(({ hash }) => pool.stageOf(hash) === 'Dropped');
      const fresh = pool.receive(
        all.filter((_, i) => !gone[i]),
        context,
      );
      const duplicate = { kind: 'duplicate', stage: 'Finalized' };
      return all.map(({ hash }) => fresh.find((one) => one.hash === hash) ?? { ...duplicate, hash });
    },
  }),
  fifo.told('finalized-hash-remembered-for-ever', {
    confirm: (_, { pool, given: [block], notes }) => {
      for (const { hash } of pool.txStates('Finalized', block.seen)) notes.hashes.add(hash);
    },
    receive: (told, { notes }) =>
      told.map(({ hash, ...one }) =>
        notes.hashes.has(hash) ? { kind: 'duplicate', hash, stage: 'Finalized' } : { hash, ...one },
      ),
  }),
  fifo.each('duplicate-says-pending', { receive: ({ kind }) => kind === 'duplicate' && { stage: 'Pending' } }),
  stores.around('receives-one-by-one', {
    receive: async ({ store, given: [all, options] }) => {
      const told = [];
      for (const one of all) told.push(...(await store.receive([one], options)));
      return told;
    },
  }),
  fifo.events('receive-event-tells-no-stage-before', ({ previous }) => ({
    previous: { ...previous, stage: 'Unknown' },
  })),
];

const moves: readonly MoveVerb[] = ['markInflight', 'markAcknowledged', 'release'];

function bySeq(pool: PlantedDriver, hashes: readonly string[]): string[] {
  return hashes.toSorted((a, b) => (pool.txState(a)?.seq ?? 0) - (pool.txState(b)?.seq ?? 0));
}

/** What returned by one way is put behind the others. */
function returnedBehind(id: string, way: 'release' | 'confirm' | 'rollback'): Mutant {
  return fifo.around(id, {
    [way]: ({ pool, call, given, notes }: { pool: PlantedDriver; call: (...all: unknown[]) => unknown } & Late) => {
      const flying = pool.peekInflight(0, 1_000).transactions.map(({ hash }) => hash);
      const outcome = call(...given);
      for (const { hash } of pool.txStates('Pending', flying)) notes.numbers.set(hash, notes.numbers.size + 1);
      return outcome;
    },
    peekPending: ({ pool, given, notes: { numbers } }) =>
      sorted(pool.peekPending(...given), ({ hash }) => numbers.get(hash) ?? 0),
  });
}

interface Late {
  readonly given: readonly unknown[];
  readonly notes: { readonly numbers: Map<string, number> };
}

/** L3, L4, L8, L10. */
export const propagationMutants: readonly Mutant[] = [
  ...[...moves, 'drop' as const].map((verb) =>
    fifo.told(`${verb}-answers-by-seq`, {
      [verb]: (told: string[], { pool }: { pool: PlantedDriver }) => bySeq(pool, told),
    }),
  ),
  stores.told('moves-a-repeat-twice', {
    markInflight: (told, { given: [hashes] }) => hashes.filter((hash) => told.includes(hash)),
  }),
  fifo.told('in-flight-waits-still', {
    peekPending: ({ transactions }, { pool, given: [after, limit] }) => {
      const flying = pool.peekInflight(after, limit).transactions.filter(({ stage }) => stage === 'Propagated');
      return { transactions: [...transactions, ...flying].toSorted((a, b) => a.seq - b.seq).slice(0, limit) };
    },
  }),
  fifo.writes('ages-from-the-first-block', (_, verb) => verb === 'markInflight' && { tick: 0 }),
  fifo.given('second-mark-resets', { markInflight: (hashes, { pool }) => void pool.release(hashes) }),
  fifo.each('payload-lost-in-flight', { findInflight: () => ({ payload: new Uint8Array() }) }),
  fifo.given('acknowledgement-ignored-after-a-block', {
    markAcknowledged: (hashes, { pool }) => hashes.filter((hash) => pool.txState(hash)?.tick === pool.currentTip.tick),
  }),
  fifo.writes(
    'acknowledgement-rejuvenates',
    (_, verb, { currentTip }) => verb === 'markAcknowledged' && { tick: currentTip.tick },
  ),
  fifo.given('acknowledges-what-waits', { markAcknowledged: (hashes, { pool }) => void pool.markInflight(hashes) }),
  fifo.writes('mark-remembers-the-first-age', ({ hash, tick }, verb, _, first) => {
    if (verb !== 'markInflight') return null;
    if (!first.has(hash)) first.set(hash, tick);
    return { tick: first.get(hash) };
  }),
  returnedBehind('released-waits-behind', 'release'),
  returnedBehind('unseen-waits-behind', 'confirm'),
  returnedBehind('undone-waits-behind', 'rollback'),
  fifo.each('returned-with-another-seq', {
    release: (hash, { notes }) => void notes.hashes.add(hash),
    peekPending: ({ hash, seq }, { notes }) => notes.hashes.has(hash) && { seq: seq + 0.5 },
  }),
  fifo.given('release-leaves-acknowledged', {
    release: (hashes, { pool }) => hashes.filter((hash) => pool.stageOf(hash) === 'Propagated'),
  }),
  fifo.around('reason-in-ascii', {
    drop: ({ pool, given: [hashes, reason, context] }) => pool.drop(hashes, reason.replaceAll(/[^ -~]/g, '?'), context),
  }),
  fifo.each('reason-missing-in-the-log', { dumpFinalized: () => ({ reason: null }) }),
  fifo.writes('drop-forgets-the-age', (_, verb) => verb === 'drop' && { nonConfirmations: 0 }),
  fifo.each('dropped-goes-on-ageing', {
    drop: (hash, { pool, notes }) => void notes.numbers.set(hash, pool.currentTip.tick),
    checkStatus: ({ hash, stage, nonConfirmations }, { pool, notes }) =>
      stage === 'Dropped' && {
        nonConfirmations: nonConfirmations + pool.currentTip.tick - (notes.numbers.get(hash) ?? 0),
      },
  }),
  fifo.around('drop-takes-the-next-one-too', {
    drop: ({ pool, given: [hashes, reason, context] }) => {
      const { transactions } = pool.peekPending(pool.txState(hashes[0] ?? '')?.seq ?? 0, 1);
      const next = transactions.map(({ hash }) => hash);
      const dropped = pool.drop([...new Set([...hashes, ...next])], reason, context);
      return hashes.filter((hash) => dropped.includes(hash));
    },
  }),
  fifo.decided('drop-logs-final-ones-again', ({ writes }, verb, pool) => {
    const txState = pool.txState(pool.logged()[0]?.hash ?? '');
    const isNone = verb === 'drop' && writes.length === 0;
    return isNone && txState && { writes: [{ after: { ...txState, reason: 'again' }, point: null, body: null }] };
  }),
  fifo.told('drops-the-confirmed', {
    drop: (told, { pool, given: [hashes] }) =>
      hashes.filter((hash) => told.includes(hash) || pool.stageOf(hash) === 'Confirmed'),
  }),
  fifo.every('marks-in-two-steps', moves, async ({ pool, verb, given: [hashes, context] }) => {
    await turn();
    return pool.move(verb, hashes, context);
  }),
];

/** Writes records of one stage beside the rules, of the hashes that a block names. */
function forced(id: string, stage: string, list: 'seen' | 'unseen', change: (txState: TxState) => object): Mutant {
  return fifo.around(id, {
    confirm: ({ pool, given }) => {
      const txStates = pool.txStates(stage, given[0][list]);
      const outcome = pool.confirm(...given);
      pool.force(txStates.map((txState) => ({ ...txState, ...change(txState) })));
      return outcome;
    },
  });
}

type Change = (record: StoredTransaction, first: number | undefined, pool: PlantedDriver) => object | false;

/** Changes the records in flight that were revived. */
function revived(id: string, change: Change): Mutant {
  return fifo.around(id, {
    receive: ({ pool, given, notes: { numbers } }) => {
      const told = pool.receive(...given);
      for (const one of told) if (one.kind === 'received' && !numbers.has(one.hash)) numbers.set(one.hash, one.seq);
      return told;
    },
    confirm: ({ pool, given, notes: { hashes } }) => {
      for (const { hash } of pool.txStates('Dropped', given[0].seen)) hashes.add(hash);
      return pool.confirm(...given);
    },
    findInflight: ({ pool, given, notes: { hashes, numbers } }) =>
      pool
        .findInflight(...given)
        .map((one) => one && { ...one, ...(hashes.has(one.hash) && change(one, numbers.get(one.hash), pool)) }),
  });
}

/** L7. */
export const revivalMutants: readonly Mutant[] = [
  fifo.blocks('dropped-stays-dropped', ({ seen }, pool) => ({
    seen: seen.filter((hash) => pool.stageOf(hash) !== 'Dropped'),
  })),
  fifo.blocks('stale-stays-dropped', ({ seen }, pool) => ({
    seen: seen.filter((hash) => pool.txState(hash)?.reason !== 'stale'),
  })),
  revived('revived-with-a-new-seq', (_, __, pool) => ({ seq: pool.lastSeq + 1 })),
  fifo.decided('revival-not-counted', ({ writes, outcome }, verb, pool) => {
    const revived = writes.filter(({ after }) => pool.stageOf(after.hash) === 'Dropped').length;
    const { confirmed } = outcome as { confirmed: number };
    return verb === 'confirm' && revived > 0 && { outcome: { ...(outcome as object), confirmed: confirmed - revived } };
  }),
  fifo.only('revival-erases-the-entry', {
    dumpFinalized: ({ hash }, { pool }) => !['Confirmed', 'Pending'].includes(pool.stageOf(hash)),
  }),
  fifo.decided('revived-never-finalized', ({ writes }, verb, pool, hashes) => {
    for (const { after } of writes)
      if (verb === 'confirm' && pool.stageOf(after.hash) === 'Dropped') hashes.add(after.hash);
    return { writes: writes.filter(({ after }) => after.stage !== 'Finalized' || !hashes.has(after.hash)) };
  }),
  fifo.around('revived-waits-behind', {
    confirm: ({ pool, given, notes: { hashes } }) => {
      for (const { hash } of pool.txStates('Dropped', given[0].seen)) hashes.add(hash);
      return pool.confirm(...given);
    },
    peekPending: ({ pool, given, notes: { hashes } }) =>
      sorted(pool.peekPending(...given), ({ hash }) => Number(hashes.has(hash))),
  }),
  forced('unseen-revives-a-dropped-one', 'Dropped', 'unseen', () => ({ stage: 'Pending', reason: null })),
  fifo.told('forgotten-drop-counts', {
    drop: (_, { given: [hashes], notes }) => {
      for (const hash of hashes) notes.hashes.add(hash);
    },
    confirm: (told, { pool, given: [{ seen }], notes: { hashes } }) => {
      const forgotten = seen.filter((hash) => hashes.has(hash) && pool.txState(hash) === null);
      return told.kind === 'applied' && { confirmed: told.confirmed + forgotten.length };
    },
  }),
  forced('finalized-seen-grows', 'Finalized', 'seen', ({ confirmations }) => ({ confirmations: confirmations + 1 })),
  forced('finalized-unseen-returns', 'Finalized', 'unseen', () => ({ stage: 'Pending', tick: 0 })),
  revived('revived-as-the-first-life', ({ seq }, first = seq) => ({ seq: first })),
  fifo.each('revived-without-its-payload', {
    findInflight: ({ hash }, { pool }) => pool.logged(hash).length > 0 && { payload: new Uint8Array() },
  }),
];

const stages = Object.keys(transitions) as Stage[];
const verbs = [...lifecycleVerbs, 'otherBlock', 'rollback'] as const;
type Verb = (typeof verbs)[number];
type First = readonly (string | { readonly hash: string })[];

function isLegal(stage: Stage, verb: Verb): boolean {
  if (verb === 'otherBlock') return false;
  if (verb === 'rollback') return stage === 'Confirmed' || stage === 'Finalized';
  return transitions[stage][verb satisfies LifecycleVerb] !== undefined;
}

/** Every hash that the pool knows, and one that it does not. */
function everyHash(pool: PlantedDriver): string[] {
  const live = [pool.peekPending(0, 100), pool.peekInflight(0, 100)].flatMap(({ transactions }) => transactions);
  const all = [...live, ...pool.dumpFinalized(0, 100).entries];
  return [...all.map(({ hash }) => hash), 'ee'];
}

/** The verb of the backend that such a call is, and where its hashes are: its argument, a list of that, or none of it. */
function callOf(verb: Verb) {
  if (verb === 'seen' || verb === 'unseen') return { name: 'confirm', list: verb } as const;
  return { name: verb === 'otherBlock' ? 'confirm' : verb, list: null } as const;
}

/** A legal pair is passed over, an illegal one tells of a transition that the table does not name. */
function pairMutant(stage: Stage, verb: Verb): Mutant {
  const { name, list } = callOf(verb);
  const isOfAll = verb === 'otherBlock' || verb === 'rollback';
  return fifo.plant(`${verb}-of-${stage}-goes-wrong`, (whole, { pool }) => {
    if (verb === 'rollback' && isLegal(stage, verb))
      pool.tell = () => ({
        confirmedAfter: (tick) => pool.confirmedAfter(tick).filter((txState) => txState.stage !== stage),
      });
    const call = whole[name] as (...given: unknown[]) => unknown;
    const made = (first: unknown, ...rest: unknown[]): unknown => {
      const all = list === null ? (first as First) : (first as CheckedBlock)[list];
      const hashes = isOfAll ? everyHash(pool) : all.map((one) => (typeof one === 'string' ? one : one.hash));
      const isNamed = (_: unknown, i: number) => pool.stageOf(hashes[i] ?? '') === stage;
      const named = hashes.filter(isNamed);
      if (isLegal(stage, verb) && !isOfAll) {
        const kept = all.filter((one, i) => !isNamed(one, i));
        return call(list === null ? kept : { ...(first as CheckedBlock), [list]: kept }, ...rest);
      }
      const outcome = call(first, ...rest);
      if (!isLegal(stage, verb)) pool.announce(named.map((hash) => eventOf({ hash }, 'Pending', stage)));
      return outcome;
    };
    return { [name]: made };
  });
}

/** L11: one for each pair of stage and verb. */
export const matrixMutants: readonly Mutant[] = stages.flatMap((stage) => verbs.map((verb) => pairMutant(stage, verb)));
