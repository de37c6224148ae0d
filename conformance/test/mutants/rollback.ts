import type { RollbackOutcome } from 'mempool-core';
import type { Life, Step } from 'mempool-core/backend';
import { fifo, withWrites } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

/** Changes what the rules decided for a rollback that undoes something. */
function undoing(id: string, change: (step: Step<unknown>, pool: PlantedDriver) => object): Mutant {
  return fifo.decided(id, (step, verb, pool) => {
    const isUndone = verb === 'rollback' && (step.outcome as RollbackOutcome).kind === 'rolled-back';
    return isUndone && change(step, pool);
  });
}

/** Writes records beside the rules, after a rollback; those are picked before it. */
function afterwards(
  id: string,
  pick: (pool: PlantedDriver) => Life[],
  change: (life: Life, tick: number) => object,
): Mutant {
  return fifo.around(id, {
    rollback: ({ pool, given }) => {
      const lives = pick(pool);
      const outcome = pool.rollback(...given);
      if (outcome.kind === 'rolled-back')
        pool.force(lives.map((life) => ({ ...life, ...change(life, outcome.tip.tick) })));
      return outcome;
    },
  });
}

/** Counters that a rollback adds to, by the blocks undone. */
function twice(
  id: string,
  change: (told: { stage: string; confirmations: number; nonConfirmations: number }, undone: number) => object | false,
) {
  return fifo.each(id, {
    rollback: (told, { notes }) => {
      if (told.kind === 'rolled-back') notes.count += told.undone;
    },
    checkStatus: (one, { notes }) => change(one, notes.count),
  });
}

/** L9 for transactions. */
export const rollbackMutants: readonly Mutant[] = [
  undoing('undone-block-keeps-its-transactions', () => ({ writes: [] })),
  fifo.view('rollback-returns-the-target-too', (pool) => ({ confirmedAfter: (tick) => pool.confirmedAfter(tick - 1) })),
  fifo.view('finalized-never-returns', (pool) => ({
    confirmedAfter: (tick) => pool.confirmedAfter(tick).filter(({ stage }) => stage === 'Confirmed'),
  })),
  fifo.view('finalized-after-the-target-returns', (pool) => ({
    confirmedAfter: (tick) => {
      const isLater = (life: Life) => life.tick <= tick && life.tick + life.confirmations - 1 > tick;
      return [...pool.confirmedAfter(tick), ...pool.lives('Finalized').filter(isLater)];
    },
  })),
  fifo.only('return-erases-the-entry', {
    dumpFinalized: ({ hash, point }, { pool }) => point === null || point.slot === pool.confirmedAt(hash)?.slot,
  }),
  fifo.around('forgotten-finalized-returns', {
    confirm: ({ pool, given, notes }) => {
      const outcome = pool.confirm(...given);
      for (const { hash } of pool.lives('Finalized', given[0].seen)) notes.hashes.add(hash);
      return outcome;
    },
    rollback: ({ pool, given, notes }) => {
      const gone = [...notes.hashes].filter((hash) => pool.life(hash) === null).length;
      const outcome = pool.rollback(...given);
      return outcome.kind === 'rolled-back' ? { ...outcome, returned: outcome.returned + gone } : outcome;
    },
  }),
  afterwards(
    'stale-one-flies-again',
    (pool) => pool.lives('Dropped').filter(({ reason }) => reason === 'stale'),
    (_, tick) => ({ stage: 'Propagated', tick, reason: null }),
  ),
  fifo.plant('revived-one-is-dropped-again', (_, { pool }) => {
    const revived = new Map<string, Life>();
    pool.decide = (step, verb) => {
      for (const { after } of step.writes)
        for (const life of pool.lives('Dropped', [after.hash])) if (verb === 'confirm') revived.set(after.hash, life);
      return verb === 'rollback' ? withWrites(step, ({ hash }) => revived.get(hash)) : step;
    };
    return {};
  }),
  fifo.plant('unseen-is-undone', (_, { pool }) => {
    const before = new Map<Life, number>();
    return {
      confirm: (block, context) => {
        const lives = pool.lives('Confirmed', block.unseen);
        const outcome = pool.confirm(block, context);
        for (const life of lives) before.set(life, outcome.tip.tick);
        return outcome;
      },
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        const undone = [...before].filter(([, tick]) => tick > outcome.tip.tick).map(([life]) => life);
        pool.force(undone, ({ tick }) => pool.pointAt(tick));
        return outcome;
      },
    };
  }),
  fifo.plant('release-is-undone', (_, { pool }) => {
    const released = new Map<string, Life>();
    return {
      release: (hashes, context) => {
        for (const life of pool.lives('Propagated', hashes)) released.set(life.hash, life);
        return pool.release(hashes, context);
      },
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        pool.force([...released.values()], () => null);
        return outcome;
      },
    };
  }),
  fifo.view('marked-after-the-target-keeps-its-tick', () => ({ waitingAfter: () => [] })),
  fifo.view('rollback-makes-all-young', (pool, verb) => {
    const flying = () => [...pool.lives('Propagated'), ...pool.lives('Acknowledged')];
    return verb === 'rollback' ? { waitingAfter: () => flying().map((life) => ({ ...life, tick: 1_000_000 })) } : {};
  }),
  undoing('rollback-resets-acknowledged', ({ writes }, pool) => {
    const reset = pool.lives('Acknowledged').map((life) => ({ ...life, stage: 'Propagated' }));
    return { writes: [...writes, ...reset.map((after) => ({ after, point: null, body: null }))] };
  }),
  twice(
    'fork-switch-ages-twice',
    ({ stage, nonConfirmations }, undone) =>
      (stage === 'Propagated' || stage === 'Acknowledged') && { nonConfirmations: nonConfirmations + undone },
  ),
  twice(
    'fork-switch-deepens-twice',
    ({ stage, confirmations }, undone) => stage === 'Confirmed' && { confirmations: confirmations + undone },
  ),
  fifo.each('confirmed-at-the-undone-block', {
    confirm: (_, { given: [{ seen, point }], notes: { patches } }) => {
      for (const hash of seen) if (!patches.has(hash)) patches.set(hash, { confirmedAt: point });
    },
    checkStatus: ({ hash, confirmedAt }, { notes }) => confirmedAt && notes.patches.get(hash),
  }),
  fifo.around('undone-hash-is-barred', {
    rollback: ({ pool, given, notes }) => {
      const confirmed = pool.lives('Confirmed').map(({ hash }) => hash);
      const outcome = pool.rollback(...given);
      for (const { hash } of pool.lives('Pending', confirmed)) notes.hashes.add(hash);
      return outcome;
    },
    markInflight: ({ pool, given: [hashes, context], notes }) =>
      pool.markInflight(
        hashes.filter((hash) => !notes.hashes.has(hash)),
        context,
      ),
  }),
  fifo.told('rollback-marks-what-waits', {
    rollback: ({ kind, tip: { tick } }, { pool }) => {
      const [first] = kind === 'rolled-back' ? pool.peekPending(0, 1) : [];
      const lives = pool.lives('Pending', first ? [first.hash] : []);
      pool.force(lives.map((life) => ({ ...life, stage: 'Propagated', tick })));
    },
  }),
  fifo.view('returns-a-thousand-at-most', (pool) => ({
    confirmedAfter: (tick) => pool.confirmedAfter(tick).slice(0, 1_000),
  })),
  fifo.view('finalizes-a-thousand-at-most', (pool) => ({ aged: (...ticks) => pool.aged(...ticks).slice(0, 1_000) })),
];
