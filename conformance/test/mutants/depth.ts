import { knownBy } from './chain.ts';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { stores } from './stores.ts';

/** Changes outcomes of one kind. */
function outcome(
  id: string,
  kind: string,
  change: (told: { undone: number; tip: { point: unknown } }) => object,
): Mutant {
  return fifo.told(id, { rollback: (told) => told.kind === kind && change(told as never) });
}

/** L9 for points and outcomes. */
export const rollbackDepthMutants: readonly Mutant[] = [
  outcome('undone-told-one-short', 'rolled-back', ({ undone }) => ({ undone: undone - 1 })),
  outcome('returned-not-told', 'rolled-back', () => ({ returned: 0 })),
  outcome('unchanged-told-as-a-rollback', 'unchanged', () => ({ kind: 'rolled-back', undone: 0, returned: 0 })),
  outcome('oldest-is-the-tip', 'unknown-point', ({ tip }) => ({ oldest: tip.point })),
  outcome('oldest-not-told', 'unknown-point', () => ({ oldest: null })),
  fifo.around('unknown-point-undoes-all', {
    rollback: ({ pool, given: [point, context] }) =>
      pool.rollback(point && pool.tickOf(point) === null ? null : point, context),
  }),
  fifo.view('kept-slots-in-32-bits', (pool, verb) =>
    verb === 'rollback' ? knownBy(pool, ({ slot, hash }) => `${slot >>> 0} ${hash}`) : {},
  ),
  fifo.instead('without-a-tip-anything-is-unchanged', {
    rollback: ({ pool: { currentTip } }) => currentTip.point === null && { kind: 'unchanged', tip: currentTip },
  }),
  fifo.plant('undone-points-still-known', (_, { pool }) => {
    const ticks = new Map<string, number>();
    pool.tell = (verb) => ({
      tickOf: (point) => {
        const tick = pool.tickOf(point);
        if (verb === 'confirm') ticks.set(point.hash, pool.currentTip.tick + 1);
        return verb === 'rollback' ? (tick ?? ticks.get(point.hash) ?? null) : tick;
      },
    });
    return {};
  }),
  fifo.given('null-undoes-one-block', {
    rollback: (point, { pool }) => point ?? pool.pointAt(pool.currentTip.tick - 1),
  }),
  fifo.around('null-keeps-the-tip', {
    rollback: ({ pool, given, notes }) => {
      notes.patches.clear();
      if (given[0] === null) notes.patches.set('tip', { point: pool.currentTip.point });
      return pool.rollback(...given);
    },
    tip: ({ pool, given, notes }) => {
      const tip = pool.tip(...given);
      return tip.point === null ? { ...tip, ...notes.patches.get('tip') } : tip;
    },
  }),
  fifo.told('null-with-a-gap-event', {
    rollback: (_, { pool, given: [target] }) => {
      const point = { slot: 0, hash: '00'.repeat(32) };
      if (target === null) pool.announce([{ kind: 'block', action: 'undone', point, tick: 0 }]);
    },
  }),
  fifo.instead('nothing-after-null', {
    rollback: ({ given: [point], notes }) => {
      if (point === null) notes.count += 1;
    },
    confirm: ({ pool, notes }) => notes.count > 0 && { kind: 'duplicate', tip: pool.currentTip },
  }),
  fifo.view('one-block-less-deep', ({ retention }) => ({ maxRollback: retention.maxRollback - 1 })),
  fifo.view('one-block-deeper', ({ retention }) => ({ maxRollback: retention.maxRollback + 1 })),
  fifo.view('depth-without-limit', () => ({ maxRollback: 1_000_000 })),
  fifo.plant('oldest-kept-sinks-with-the-tip', (_, { pool }) => {
    let undone = 0;
    const sunk = (tick: number) => (undone > 0 && tick >= pool.floor - undone ? tick : null);
    pool.tell = (verb) => ({
      tickOf: (point) => {
        const tick = pool.tickOf(point);
        if (verb !== 'rollback') return tick;
        if (tick !== null) undone = pool.currentTip.tick - tick;
        return tick ?? sunk(point.slot / 20);
      },
    });
    return {};
  }),
  stores.opened('depth-of-a-thousand', (options) => ({ maxRollback: 1_000, ...options })),
  stores.given('null-refused', { rollback: (point) => point ?? Promise.reject(new Error('no point')) }),
];
