import { setImmediate as turn } from 'node:timers/promises';
import type { MoveVerb } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './stores.ts';

const moves: readonly MoveVerb[] = ['markInflight', 'markAcknowledged', 'release'];

function bySeq(pool: PlantedDriver, hashes: readonly string[]): string[] {
  return hashes.toSorted((a, b) => (pool.life(a)?.seq ?? 0) - (pool.life(b)?.seq ?? 0));
}

/** What returned by one way is put behind the others. */
function returnedBehind(id: string, way: 'release' | 'confirm' | 'rollback'): Mutant {
  return fifo.around(id, {
    [way]: ({ pool, call, given, notes }: { pool: PlantedDriver; call: (...all: unknown[]) => unknown } & Late) => {
      const flying = pool.peekInflight(0, 1_000).map(({ hash }) => hash);
      const outcome = call(...given);
      for (const { hash } of pool.lives('Pending', flying)) notes.numbers.set(hash, notes.numbers.size + 1);
      return outcome;
    },
    peekPending: ({ pool, given, notes: { numbers } }) =>
      pool.peekPending(...given).toSorted((a, b) => (numbers.get(a.hash) ?? 0) - (numbers.get(b.hash) ?? 0)),
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
    peekPending: (page, { pool, given: [after, limit] }) => {
      const flying = pool.peekInflight(after, limit).filter(({ stage }) => stage === 'Propagated');
      return [...page, ...flying].toSorted((a, b) => a.seq - b.seq).slice(0, limit);
    },
  }),
  fifo.writes('ages-from-the-first-block', (_, verb) => verb === 'markInflight' && { tick: 0 }),
  fifo.given('second-mark-resets', { markInflight: (hashes, { pool }) => void pool.release(hashes) }),
  fifo.each('payload-lost-in-flight', { findInflight: () => ({ payload: new Uint8Array() }) }),
  fifo.given('acknowledgement-ignored-after-a-block', {
    markAcknowledged: (hashes, { pool }) => hashes.filter((hash) => pool.life(hash)?.tick === pool.currentTip.tick),
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
      const next = pool.peekPending(pool.life(hashes[0] ?? '')?.seq ?? 0, 1).map(({ hash }) => hash);
      const dropped = pool.drop([...new Set([...hashes, ...next])], reason, context);
      return hashes.filter((hash) => dropped.includes(hash));
    },
  }),
  fifo.decided('drop-logs-final-ones-again', ({ writes }, verb, pool) => {
    const life = pool.life(pool.logged()[0]?.hash ?? '');
    const isNone = verb === 'drop' && writes.length === 0;
    return isNone && life && { writes: [{ after: { ...life, reason: 'again' }, point: null, body: null }] };
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
