import type { CheckedBlock, Life, StoreDriver, StoredTransaction } from 'mempool-core';
import { answered, decided, type Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

function blocks(id: string, alter: (block: CheckedBlock, pool: PlantedDriver) => Partial<CheckedBlock>): Mutant {
  return answered(id, (pool) => ({
    confirm: (block, context) => pool.confirm({ ...block, ...alter(block, pool) }, context),
  }));
}

function stageOf(pool: PlantedDriver, hash: string): string {
  return pool.life(hash)?.stage ?? 'Unknown';
}

/** Writes records beside the rules. */
function force(pool: PlantedDriver, lives: readonly Life[]): void {
  const writes = lives.map((after) => ({ after, point: pool.confirmedAt(after.hash), body: null }));
  pool.apply({ outcome: null, writes, events: [], chain: null, operation: null });
}

function livesOf(pool: PlantedDriver, hashes: readonly string[], stage: string): Life[] {
  return hashes.map((hash) => pool.life(hash)).filter((life) => life !== null && life.stage === stage) as Life[];
}

/** What a pool has seen of revivals, beside the rules. */
interface Past {
  readonly revived: ReadonlySet<string>;
  /** The seq of the first life of each hash. */
  readonly first: ReadonlyMap<string, number>;
  readonly verbs: Pick<StoreDriver, 'receive' | 'confirm'>;
}

function watch(pool: PlantedDriver): Past {
  const revived = new Set<string>();
  const first = new Map<string, number>();
  const verbs: Past['verbs'] = {
    receive: (transactions, context) => {
      const outcomes = pool.receive(transactions, context);
      for (const outcome of outcomes)
        if (outcome.kind === 'received' && !first.has(outcome.hash)) first.set(outcome.hash, outcome.seq);
      return outcomes;
    },
    confirm: (block, context) => {
      for (const { hash } of livesOf(pool, block.seen, 'Dropped')) revived.add(hash);
      return pool.confirm(block, context);
    },
  };
  return { revived, first, verbs };
}

/** Changes the records in flight that are read. */
function reading(
  id: string,
  alter: (record: StoredTransaction, past: Past, pool: PlantedDriver) => StoredTransaction,
): Mutant {
  return answered(id, (pool) => {
    const past = watch(pool);
    return {
      ...past.verbs,
      findInflight: (hashes) => pool.findInflight(hashes).map((found) => found && alter(found, past, pool)),
    };
  });
}

/** L7. */
export const revivalMutants: readonly Mutant[] = [
  blocks('dropped-stays-dropped', ({ seen }, pool) => ({
    seen: seen.filter((hash) => stageOf(pool, hash) !== 'Dropped'),
  })),
  blocks('stale-stays-dropped', ({ seen }, pool) => ({
    seen: seen.filter((hash) => pool.life(hash)?.reason !== 'stale'),
  })),
  reading('revived-with-a-new-seq', (record, { revived }, pool) => ({
    ...record,
    seq: revived.has(record.hash) ? pool.lastSeq + 1 : record.seq,
  })),
  decided('revival-not-counted', (pool) => (step, verb) => {
    const revived = step.writes.filter(({ after }) => verb === 'confirm' && stageOf(pool, after.hash) === 'Dropped');
    const outcome = step.outcome as { confirmed: number };
    return revived.length === 0
      ? step
      : { ...step, outcome: { ...outcome, confirmed: outcome.confirmed - revived.length } };
  }),
  answered('revival-erases-the-entry', (pool) => ({
    dumpFinalized: (cursor, limit) => {
      const page = pool.dumpFinalized(cursor, limit);
      return {
        ...page,
        entries: page.entries.filter(({ hash }) => !['Confirmed', 'Pending'].includes(stageOf(pool, hash))),
      };
    },
  })),
  decided('revived-never-finalized', (pool) => {
    const revived = new Set<string>();
    return (step, verb) => {
      for (const { after } of step.writes)
        if (verb === 'confirm' && stageOf(pool, after.hash) === 'Dropped') revived.add(after.hash);
      return {
        ...step,
        writes: step.writes.filter(({ after }) => after.stage !== 'Finalized' || !revived.has(after.hash)),
      };
    };
  }),
  answered('revived-waits-behind', (pool) => {
    const past = watch(pool);
    const late = ({ hash }: StoredTransaction) => Number(past.revived.has(hash));
    return {
      ...past.verbs,
      peekPending: (after, limit) => pool.peekPending(after, limit).toSorted((a, b) => late(a) - late(b)),
    };
  }),
  answered('unseen-revives-a-dropped-one', (pool) => ({
    confirm: (block, context) => {
      const dropped = livesOf(pool, block.unseen, 'Dropped');
      const outcome = pool.confirm(block, context);
      force(
        pool,
        dropped.map((life) => ({ ...life, stage: 'Pending', reason: null })),
      );
      return outcome;
    },
  })),
  answered('forgotten-drop-counts', (pool) => {
    const ever = new Set<string>();
    return {
      drop: (hashes, reason, context) => {
        for (const hash of hashes) ever.add(hash);
        return pool.drop(hashes, reason, context);
      },
      confirm: (block, context) => {
        const forgotten = block.seen.filter((hash) => ever.has(hash) && pool.life(hash) === null);
        const outcome = pool.confirm(block, context);
        return outcome.kind === 'applied' ? { ...outcome, confirmed: outcome.confirmed + forgotten.length } : outcome;
      },
    };
  }),
  answered('finalized-seen-grows', (pool) => ({
    confirm: (block, context) => {
      const final = livesOf(pool, block.seen, 'Finalized');
      const outcome = pool.confirm(block, context);
      force(
        pool,
        final.map((life) => ({ ...life, confirmations: life.confirmations + 1 })),
      );
      return outcome;
    },
  })),
  answered('finalized-unseen-returns', (pool) => ({
    confirm: (block, context) => {
      const final = livesOf(pool, block.unseen, 'Finalized');
      const outcome = pool.confirm(block, context);
      force(
        pool,
        final.map((life) => ({ ...life, stage: 'Pending', tick: 0 })),
      );
      return outcome;
    },
  })),
  reading('revived-as-the-first-life', (record, { revived, first }) => ({
    ...record,
    seq: revived.has(record.hash) ? (first.get(record.hash) ?? record.seq) : record.seq,
  })),
  answered('revived-without-its-payload', (pool) => ({
    findInflight: (hashes) =>
      pool.findInflight(hashes).map((found) => {
        const logged = pool.dumpFinalized(0, 1_000).entries.some(({ hash }) => hash === found?.hash);
        return found && logged ? { ...found, payload: new Uint8Array(0) } : found;
      }),
  })),
];
