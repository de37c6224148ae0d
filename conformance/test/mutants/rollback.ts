import type { ChainPoint, Life, RollbackOutcome, Step } from 'mempool-core';
import { answered, decided, type Mutant, told } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

type RolledBack = Extract<RollbackOutcome, { kind: 'rolled-back' }>;

/** Changes what the rules decided for a rollback that undoes something. */
function undoing(
  id: string,
  alter: (step: Step<RolledBack>, pool: PlantedDriver) => Partial<Step<RolledBack>>,
): Mutant {
  return decided(id, (pool) => (step, verb) => {
    const outcome = step.outcome as RollbackOutcome;
    if (verb !== 'rollback' || outcome.kind !== 'rolled-back') return step;
    return { ...step, ...alter({ ...step, outcome }, pool) };
  });
}

/** Writes records beside the rules, after a rollback. */
function afterwards(id: string, pick: (pool: PlantedDriver) => (outcome: RolledBack) => Life[]): Mutant {
  return answered(id, (pool) => ({
    rollback: (point, context) => {
      const lives = pick(pool);
      const outcome = pool.rollback(point, context);
      if (outcome.kind !== 'rolled-back') return outcome;
      const writes = lives(outcome).map((after) => ({ after, point: pool.confirmedAt(after.hash), body: null }));
      pool.apply({ outcome, writes, events: [], chain: null, operation: null });
      return outcome;
    },
  }));
}

function livesOf(pool: PlantedDriver, stage: string): Life[] {
  const hashes = [...pool.peekInflight(0, 1_000), ...pool.dumpFinalized(0, 1_000).entries].map(({ hash }) => hash);
  return hashes.map((hash) => pool.life(hash)).filter((life) => life !== null && life.stage === stage) as Life[];
}

/** L9 for transactions. */
export const rollbackMutants: readonly Mutant[] = [
  undoing('undone-block-keeps-its-transactions', () => ({ writes: [] })),
  told('rollback-returns-the-target-too', (pool) => () => ({
    confirmedAfter: (tick) => pool.confirmedAfter(tick - 1),
  })),
  told('finalized-never-returns', (pool) => () => ({
    confirmedAfter: (tick) => pool.confirmedAfter(tick).filter(({ stage }) => stage === 'Confirmed'),
  })),
  told('finalized-after-the-target-returns', (pool) => () => ({
    confirmedAfter: (tick) => [
      ...pool.confirmedAfter(tick),
      ...livesOf(pool, 'Finalized').filter((life) => life.tick <= tick && life.tick + life.confirmations - 1 > tick),
    ],
  })),
  answered('return-erases-the-entry', (pool) => ({
    dumpFinalized: (cursor, limit) => {
      const page = pool.dumpFinalized(cursor, limit);
      const point = (hash: string) => pool.confirmedAt(hash);
      return {
        ...page,
        entries: page.entries.filter((entry) => entry.point === null || entry.point.slot === point(entry.hash)?.slot),
      };
    },
  })),
  answered('forgotten-finalized-returns', (pool) => {
    const finalized = new Set<string>();
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        for (const hash of block.seen) if (pool.life(hash)?.stage === 'Finalized') finalized.add(hash);
        return outcome;
      },
      rollback: (point, context) => {
        const gone = [...finalized].filter((hash) => pool.life(hash) === null).length;
        const outcome = pool.rollback(point, context);
        return outcome.kind === 'rolled-back' ? { ...outcome, returned: outcome.returned + gone } : outcome;
      },
    };
  }),
  afterwards('stale-one-flies-again', (pool) => {
    const stale = livesOf(pool, 'Dropped').filter(({ reason }) => reason === 'stale');
    return ({ tip }) => stale.map((life) => ({ ...life, stage: 'Propagated', tick: tip.tick, reason: null }));
  }),
  decided('revived-one-is-dropped-again', (pool) => {
    const revived = new Map<string, Life>();
    return (step, verb) => {
      for (const { after } of step.writes) {
        const life = pool.life(after.hash);
        if (verb === 'confirm' && life?.stage === 'Dropped') revived.set(after.hash, life);
      }
      if (verb !== 'rollback') return step;
      const writes = step.writes.map((write) => {
        const was = revived.get(write.after.hash);
        return was ? { ...write, after: { ...was } } : write;
      });
      return { ...step, writes };
    };
  }),
  answered('unseen-is-undone', (pool) => {
    const before = new Map<string, [Life, number]>();
    return {
      confirm: (block, context) => {
        const lives = block.unseen.map((hash) => pool.life(hash)).filter((life) => life?.stage === 'Confirmed');
        const outcome = pool.confirm(block, context);
        for (const life of lives) if (life) before.set(life.hash, [life, outcome.tip.tick]);
        return outcome;
      },
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        const writes = [...before.values()]
          .filter(([, tick]) => tick > outcome.tip.tick)
          .map(([after]) => ({ after, point: pool.pointAt(after.tick), body: null }));
        pool.apply({ outcome, writes, events: [], chain: null, operation: null });
        return outcome;
      },
    };
  }),
  answered('release-is-undone', (pool) => {
    const released = new Map<string, Life>();
    return {
      move: (verb, hashes, context) => {
        for (const hash of hashes) {
          const life = pool.life(hash);
          if (verb === 'release' && life?.stage === 'Propagated') released.set(hash, life);
        }
        return pool.move(verb, hashes, context);
      },
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        const writes = [...released.values()].map((after) => ({ after, point: null, body: null }));
        pool.apply({ outcome, writes, events: [], chain: null, operation: null });
        return outcome;
      },
    };
  }),
  told('marked-after-the-target-keeps-its-tick', () => () => ({ waitingAfter: () => [] })),
  told(
    'rollback-makes-all-young',
    (pool) => (verb) =>
      verb === 'rollback'
        ? {
            waitingAfter: () =>
              [...livesOf(pool, 'Propagated'), ...livesOf(pool, 'Acknowledged')].map((life) => ({
                ...life,
                tick: 1_000_000,
              })),
          }
        : {},
  ),
  undoing('rollback-resets-acknowledged', ({ writes }, pool) => ({
    writes: [
      ...writes,
      ...livesOf(pool, 'Acknowledged').map((life) => ({
        after: { ...life, stage: 'Propagated' as const },
        point: null,
        body: null,
      })),
    ],
  })),
  answered('fork-switch-ages-twice', (pool) => {
    let undone = 0;
    return {
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        if (outcome.kind === 'rolled-back') undone += outcome.undone;
        return outcome;
      },
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => {
          const flying = status.stage === 'Propagated' || status.stage === 'Acknowledged';
          return { ...status, nonConfirmations: status.nonConfirmations + (flying ? undone : 0) };
        }),
    };
  }),
  answered('fork-switch-deepens-twice', (pool) => {
    let undone = 0;
    return {
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        if (outcome.kind === 'rolled-back') undone += outcome.undone;
        return outcome;
      },
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => ({
          ...status,
          confirmations: status.confirmations + (status.stage === 'Confirmed' ? undone : 0),
        })),
    };
  }),
  answered('confirmed-at-the-undone-block', (pool) => {
    const first = new Map<string, ChainPoint>();
    return {
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => {
          const { hash, confirmedAt } = status;
          const undone = first.get(hash);
          return { ...status, confirmedAt: confirmedAt && (undone ?? confirmedAt) };
        }),
      confirm: (block, context) => {
        for (const hash of block.seen) if (!first.has(hash)) first.set(hash, block.point);
        return pool.confirm(block, context);
      },
    };
  }),
  answered('undone-hash-is-barred', (pool) => {
    const barred = new Set<string>();
    return {
      rollback: (point, context) => {
        const confirmed = livesOf(pool, 'Confirmed').map(({ hash }) => hash);
        const outcome = pool.rollback(point, context);
        for (const hash of confirmed) if (pool.life(hash)?.stage === 'Pending') barred.add(hash);
        return outcome;
      },
      move: (verb, hashes, context) =>
        pool.move(
          verb,
          hashes.filter((hash) => !barred.has(hash)),
          context,
        ),
    };
  }),
  afterwards(
    'rollback-marks-what-waits',
    (pool) =>
      ({ tip }) =>
        pool
          .peekPending(0, 1)
          .flatMap(({ hash }) => pool.life(hash) ?? [])
          .map((life) => ({ ...life, stage: 'Propagated', tick: tip.tick })),
  ),
  told('returns-a-thousand-at-most', (pool) => () => ({
    confirmedAfter: (tick) => pool.confirmedAfter(tick).slice(0, 1_000),
  })),
  told('finalizes-a-thousand-at-most', (pool) => () => ({
    aged: (finalizable, droppable) => pool.aged(finalizable, droppable).slice(0, 1_000),
  })),
];
