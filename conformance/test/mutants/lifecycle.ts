import { setImmediate as turn } from 'node:timers/promises';
import type { MoveVerb, Write } from 'mempool-core/backend';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import { sorted } from './page-operators.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './store-operators.ts';

/** L1 and L2. */
export const receivingMutants: readonly Mutant[] = [
  fifo.told('newest-first-when-read', {
    peekPending: ({ transactions }) => ({ transactions: transactions.toReversed() }),
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
  stores.around('receives-one-by-one', {
    receive: async ({ store, given: [all, options] }) => {
      const told = [];
      for (const one of all) told.push(...(await store.receive([one], options)));
      return told;
    },
  }),
];

const moves: readonly MoveVerb[] = ['markInflight', 'markAcknowledged', 'complete', 'release'];

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

/** A completed transaction is written with other data. */
function completing(id: string, change: (write: Write, pool: PlantedDriver) => Partial<Write>): Mutant {
  return fifo.decided(id, ({ writes }, verb, pool) =>
    verb === 'complete' ? { writes: writes.map((write) => ({ ...write, ...change(write, pool) })) } : null,
  );
}

/** L3, L4, L8, L10, L15. */
export const propagationMutants: readonly Mutant[] = [
  fifo.told('release-answers-by-seq', {
    release: (told, { pool }) => bySeq(pool, told),
  }),
  stores.told('moves-a-repeat-twice', {
    markInflight: (told, { given: [hashes] }) => hashes.filter((hash) => told.includes(hash)),
  }),
  returnedBehind('unseen-waits-behind', 'confirm'),
  completing('completed-in-the-last-block', (_, { currentTip: { point } }) => ({ point })),
  completing('completed-undone-by-a-rollback', ({ after }, { currentTip: { tick } }) => ({
    after: { ...after, tick },
  })),
  fifo.each('reason-missing-in-the-log', { dumpFinalized: () => ({ reason: null }) }),
  fifo.every('marks-in-two-steps', moves, async ({ pool, verb, given: [hashes, context] }) => {
    await turn();
    return pool.move(verb, hashes, context);
  }),
];

/** L11. */
export const matrixMutants: readonly Mutant[] = [
  fifo.told('says-that-it-marked-whatever-is-named', { markInflight: (_, { given: [hashes] }) => hashes }),
];
