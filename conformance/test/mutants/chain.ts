import type { ChainPoint } from 'mempool-core';
import type { CheckedBlock, PoolView, TxState } from 'mempool-core/backend';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './store-operators.ts';

/** A block that is refused leaves a trace. */
function refusedWith(id: string, kind: string, trace: (pool: PlantedDriver, seen: readonly string[]) => void): Mutant {
  return fifo.told(id, {
    confirm: (told, { pool, given: [block] }) => {
      if (told.kind === kind) trace(pool, block.seen);
    },
  });
}

function marks(pool: PlantedDriver, seen: readonly string[]): void {
  pool.markInflight(seen);
  pool.markAcknowledged(seen);
}

/** A block whose parent is not looked at. */
function linkedWhere(id: string, isLinked: (block: CheckedBlock, pool: PlantedDriver) => boolean): Mutant {
  return fifo.blocks(id, (block, pool) =>
    isLinked(block, pool) ? { parent: pool.currentTip.point?.hash ?? null } : {},
  );
}

function tip(id: string, change: (told: ChainPoint | null, pool: PlantedDriver) => object | null): Mutant {
  return fifo.told(id, { tip: ({ point }, { pool }) => ({ point: change(point, pool) }) });
}

function points(id: string, change: (points: ChainPoint[], pool: PlantedDriver) => ChainPoint[]): Mutant {
  return fifo.told(id, {
    tip: (told, { pool, given: [count] }) => ({ points: change(told.points, pool).slice(0, count) }),
  });
}

/** Takes slot 0 for nothing. */
function withoutZero(point: ChainPoint | null): ChainPoint | null {
  return point?.slot ? point : null;
}

/** Takes two points for one that are the same in this. */
export function knownBy(pool: PlantedDriver, part: (point: ChainPoint) => string): Pick<PoolView, 'tickOf'> {
  return {
    tickOf(point) {
      const { tick, points } = pool.tip(1_000);
      const at = points.findIndex((kept) => part(kept) === part(point));
      return at < 0 ? pool.tickOf(point) : tick - at;
    },
  };
}
const none = { point: null, tick: 0 };
const origin = { slot: 0, hash: '00'.repeat(32) };

/** X3. */
export const chainMutants: readonly Mutant[] = [
  fifo.view('blocks-known-by-hash-alone', (pool, verb) =>
    verb === 'confirm' ? knownBy(pool, ({ hash }) => hash) : {},
  ),
  linkedWhere('any-applied-parent-is-good', ({ parent }, pool) =>
    pool.tip(1_000).points.some(({ hash }) => hash === parent),
  ),
  fifo.told('gap-without-the-tip', { confirm: ({ kind }) => kind === 'gap' && { tip: none } }),
  fifo.instead('slots-below-the-tip-are-applied', {
    confirm: ({ pool: { currentTip }, whole, given: [block, ...rest] }) => {
      const { point } = currentTip;
      const isBelow = point !== null && block.parent === null && block.point.slot < point.slot;
      return isBelow && whole.confirm({ ...block, parent: point.hash }, ...rest);
    },
  }),
  fifo.instead('slots-of-the-tip-are-gaps', {
    confirm: ({ pool: { currentTip }, given: [{ parent, point }] }) =>
      parent === null && point.slot === currentTip.point?.slot && { kind: 'gap', tip: currentTip },
  }),
  refusedWith('gap-touches-its-transactions', 'gap', marks),
  refusedWith('duplicate-touches-its-transactions', 'duplicate', marks),
  fifo.around('parent-is-the-block-applied-last', {
    confirm: ({ pool, given: [block, context], notes: { known } }) => {
      const outcome = pool.confirm(block.parent === known.get('last') ? { ...block, parent: null } : block, context);
      if (outcome.kind === 'applied') known.set('last', block.point.hash);
      return outcome;
    },
  }),
];

/** X4. */
export const tipMutants: readonly Mutant[] = [
  fifo.given('tip-lists-a-thousand-points-at-the-most', { tip: (count) => Math.min(count, 1_000) }),
  fifo.given('tip-asked-for-more-than-it-keeps-lists-nothing', { tip: (count) => (count > 2_161 ? 0 : count) }),
  tip('tip-of-a-new-pool-is-a-point', (point) => point ?? origin),
  points('points-without-the-tip', (points) => points.slice(1)),
  points('points-of-confirmed-ones-too', (points, pool) => {
    const confirmed = pool.peekInflight(0, 100).transactions.map(({ confirmedAt }) => confirmedAt);
    return [...points, ...confirmed.filter((point) => point !== null && pool.tickOf(point) === null)] as ChainPoint[];
  }),
  fifo.each('slots-in-32-bits', { tip: ({ slot }) => ({ slot: slot % 2 ** 32 }) }),
  stores.given('slots-in-48-bits', { confirm: ({ point }) => ({ point: { ...point, slot: point.slot % 2 ** 48 } }) }),
  tip('slot-zero-is-no-tip', withoutZero),
  points('slot-zero-is-no-point', (points) => points.filter(({ slot }) => slot > 0)),
  fifo.view('slot-zero-takes-any-parent', ({ currentTip }) => ({
    currentTip: { ...currentTip, point: withoutZero(currentTip.point) },
  })),
  fifo.around('slot-zero-undoes-all', {
    rollback: ({ pool, given: [point, context] }) => pool.rollback(withoutZero(point), context),
  }),
  fifo.each('slot-zero-is-no-block-of-a-status', {
    checkStatus: ({ confirmedAt }) => ({ confirmedAt: withoutZero(confirmedAt) }),
  }),
  fifo.each('slot-zero-is-no-block-of-an-entry', { dumpFinalized: ({ point }) => ({ point: withoutZero(point) }) }),
  stores.opened('one-point-kept', (options) => ({ ...options, maxRollback: 1 })),
];

/** L9 for transactions. */
export const rollbackMutants: readonly Mutant[] = [
  fifo.around('release-is-undone', {
    release: ({ pool, given, notes: { patches } }) => {
      for (const txState of pool.txStates('Propagated', given[0])) patches.set(txState.hash, txState);
      return pool.release(...given);
    },
    rollback: ({ pool, given, notes: { patches } }) => {
      const outcome = pool.rollback(...given);
      pool.force([...patches.values()] as TxState[], () => null);
      return outcome;
    },
  }),
  fifo.view('returns-a-thousand-at-most', (pool) => ({
    confirmedAfter: (tick) => pool.confirmedAfter(tick).slice(0, 1_000),
  })),
  fifo.view('finalizes-a-thousand-at-most', (pool) => ({ aged: (...ticks) => pool.aged(...ticks).slice(0, 1_000) })),
];

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
  outcome('unchanged-told-as-a-rollback', 'unchanged', () => ({ kind: 'rolled-back', undone: 0, returned: 0 })),
  fifo.view('kept-slots-in-32-bits', (pool, verb) =>
    verb === 'rollback' ? knownBy(pool, ({ slot, hash }) => `${slot >>> 0} ${hash}`) : {},
  ),
  stores.opened('depth-of-a-thousand', (options) => ({ maxRollback: 1_000, ...options })),
  stores.given('null-taken-for-the-origin', { rollback: (target) => target ?? 'origin' }),
];
