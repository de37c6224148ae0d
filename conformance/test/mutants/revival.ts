import type { StoredTransaction } from 'mempool-core';
import type { Life } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

/** Writes records of one stage beside the rules, of the hashes that a block names. */
function forced(id: string, stage: string, list: 'seen' | 'unseen', change: (life: Life) => object): Mutant {
  return fifo.around(id, {
    confirm: ({ pool, given }) => {
      const lives = pool.lives(stage, given[0][list]);
      const outcome = pool.confirm(...given);
      pool.force(lives.map((life) => ({ ...life, ...change(life) })));
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
      for (const { hash } of pool.lives('Dropped', given[0].seen)) hashes.add(hash);
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
    seen: seen.filter((hash) => pool.life(hash)?.reason !== 'stale'),
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
      for (const { hash } of pool.lives('Dropped', given[0].seen)) hashes.add(hash);
      return pool.confirm(...given);
    },
    peekPending: ({ pool, given, notes: { hashes } }) =>
      pool.peekPending(...given).toSorted((a, b) => Number(hashes.has(a.hash)) - Number(hashes.has(b.hash))),
  }),
  forced('unseen-revives-a-dropped-one', 'Dropped', 'unseen', () => ({ stage: 'Pending', reason: null })),
  fifo.around('forgotten-drop-counts', {
    drop: ({ pool, given, notes }) => {
      for (const hash of given[0]) notes.hashes.add(hash);
      return pool.drop(...given);
    },
    confirm: ({ pool, given, notes }) => {
      const forgotten = given[0].seen.filter((hash) => notes.hashes.has(hash) && pool.life(hash) === null);
      const outcome = pool.confirm(...given);
      return outcome.kind === 'applied' ? { ...outcome, confirmed: outcome.confirmed + forgotten.length } : outcome;
    },
  }),
  forced('finalized-seen-grows', 'Finalized', 'seen', ({ confirmations }) => ({ confirmations: confirmations + 1 })),
  forced('finalized-unseen-returns', 'Finalized', 'unseen', () => ({ stage: 'Pending', tick: 0 })),
  revived('revived-as-the-first-life', ({ seq }, first = seq) => ({ seq: first })),
  fifo.each('revived-without-its-payload', {
    findInflight: ({ hash }, { pool }) => pool.logged(hash).length > 0 && { payload: new Uint8Array() },
  }),
];
