import type { ChainPoint, RollbackOutcome } from 'mempool-core';
import { knownBy } from './chain.ts';
import { answered, handed, type Mutant, opened, told } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

function answering(
  id: string,
  alter: (outcome: RollbackOutcome, point: ChainPoint | null, pool: PlantedDriver) => RollbackOutcome,
): Mutant {
  return answered(id, (pool) => ({
    rollback: (point, context) => alter(pool.rollback(point, context), point, pool),
  }));
}

/** L9 for points and outcomes. */
export const rollbackDepthMutants: readonly Mutant[] = [
  answering('undone-told-one-short', (outcome) =>
    outcome.kind === 'rolled-back' ? { ...outcome, undone: outcome.undone - 1 } : outcome,
  ),
  answering('returned-not-told', (outcome) => (outcome.kind === 'rolled-back' ? { ...outcome, returned: 0 } : outcome)),
  answering('unchanged-told-as-a-rollback', (outcome) =>
    outcome.kind === 'unchanged' ? { ...outcome, kind: 'rolled-back', undone: 0, returned: 0 } : outcome,
  ),
  answering('oldest-is-the-tip', (outcome) =>
    outcome.kind === 'unknown-point' ? { ...outcome, oldest: outcome.tip.point } : outcome,
  ),
  answering('oldest-not-told', (outcome) =>
    outcome.kind === 'unknown-point' ? { ...outcome, oldest: null } : outcome,
  ),
  answered('unknown-point-undoes-all', (pool) => ({
    rollback: (point, context) => pool.rollback(point && pool.tickOf(point) === null ? null : point, context),
  })),
  told(
    'kept-slots-in-32-bits',
    (pool) => (verb) => (verb === 'rollback' ? knownBy(pool, ({ slot, hash }) => `${slot >>> 0} ${hash}`) : {}),
  ),
  answered('without-a-tip-anything-is-unchanged', (pool) => ({
    rollback: (point, context) =>
      pool.currentTip.point === null ? { kind: 'unchanged', tip: pool.currentTip } : pool.rollback(point, context),
  })),
  told('undone-points-still-known', (pool) => {
    const ticks = new Map<string, number>();
    return (verb) => ({
      tickOf: (point) => {
        const tick = pool.tickOf(point);
        if (verb === 'confirm') ticks.set(point.hash, pool.currentTip.tick + 1);
        return verb === 'rollback' ? (tick ?? ticks.get(point.hash) ?? null) : tick;
      },
    });
  }),
  answered('null-undoes-one-block', (pool) => ({
    rollback: (point, context) => pool.rollback(point ?? pool.pointAt(pool.currentTip.tick - 1), context),
  })),
  answered('null-keeps-the-tip', (pool) => {
    let left: ChainPoint | null = null;
    return {
      rollback: (point, context) => {
        left = point === null ? pool.currentTip.point : null;
        return pool.rollback(point, context);
      },
      tip: (points) => {
        const tip = pool.tip(points);
        return { ...tip, point: tip.point ?? left };
      },
    };
  }),
  answered('null-with-a-gap-event', (pool) => ({
    rollback: (point, context) => {
      const outcome = pool.rollback(point, context);
      const eventSeq = pool.lastEventSeq + 1;
      const event = {
        kind: 'block',
        eventSeq,
        action: 'undone',
        point: { slot: 0, hash: '00'.repeat(32) },
        tick: 0,
      } as const;
      if (point === null) pool.apply({ outcome, writes: [], events: [event], chain: null, operation: null });
      return outcome;
    },
  })),
  answered('nothing-after-null', (pool) => {
    let ended = false;
    return {
      rollback: (point, context) => {
        ended ||= point === null;
        return pool.rollback(point, context);
      },
      confirm: (block, context) => (ended ? { kind: 'duplicate', tip: pool.currentTip } : pool.confirm(block, context)),
    };
  }),
  told('one-block-less-deep', (pool) => () => ({ maxRollback: pool.retention.maxRollback - 1 })),
  told('one-block-deeper', (pool) => () => ({ maxRollback: pool.retention.maxRollback + 1 })),
  told('depth-without-limit', () => () => ({ maxRollback: 1_000_000 })),
  told('oldest-kept-sinks-with-the-tip', (pool) => {
    let undone = 0;
    return (verb) => ({
      tickOf: (point) => {
        const tick = pool.tickOf(point);
        if (verb === 'rollback' && tick !== null) undone = pool.currentTip.tick - tick;
        return (
          tick ?? (verb === 'rollback' && undone > 0 && point.slot / 20 >= pool.floor - undone ? point.slot / 20 : null)
        );
      },
    });
  }),
  opened('depth-of-a-thousand', (options) => ({ maxRollback: 1_000, ...options })),
  handed('null-refused', (store) => ({
    rollback: (point, options) =>
      point === null ? Promise.reject(new Error('no point')) : store.rollback(point, options),
  })),
];
