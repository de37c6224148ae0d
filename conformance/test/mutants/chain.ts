import type { ChainPoint } from 'mempool-core';
import type { CheckedBlock, PoolView } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './stores.ts';

/** A block that is refused leaves a trace. */
function refusedWith(id: string, kind: string, trace: (pool: PlantedDriver, seen: readonly string[]) => void): Mutant {
  return fifo.told(id, {
    confirm: (told, { pool, given: [block] }) => {
      if (told.kind === kind) trace(pool, block.seen);
    },
  });
}

/** The rules are told that each block refused was one more block. */
function ages(pool: PlantedDriver): void {
  const flying = [...pool.lives('Propagated'), ...pool.lives('Acknowledged')];
  pool.force(flying.map((life) => ({ ...life, tick: life.tick - 1 })));
}

function marks(pool: PlantedDriver, seen: readonly string[]): void {
  pool.markInflight(seen);
  pool.markAcknowledged(seen);
}

/** A block that is told to leave a gap. */
function gapWhere(id: string, isGap: (tip: ChainPoint | null, parent: string | null, tick: number) => boolean): Mutant {
  return fifo.instead(id, {
    confirm: ({ pool: { currentTip }, given: [{ parent }] }) =>
      isGap(currentTip.point, parent, currentTip.tick) && { kind: 'gap', tip: currentTip },
  });
}

/** A block whose parent is not looked at. */
function linkedWhere(id: string, isLinked: (block: CheckedBlock, pool: PlantedDriver) => boolean): Mutant {
  return fifo.blocks(id, (block, pool) => (isLinked(block, pool) ? { parent: null } : {}));
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
  fifo.view('applied-blocks-not-known', (_, verb) => (verb === 'confirm' ? { tickOf: () => null } : {})),
  fifo.view('only-the-tip-is-a-duplicate', (pool, verb) => ({
    tickOf: (point) => {
      const tick = pool.tickOf(point);
      return verb === 'rollback' || tick === pool.currentTip.tick ? tick : null;
    },
  })),
  fifo.view('blocks-known-by-hash-alone', (pool, verb) =>
    verb === 'confirm' ? knownBy(pool, ({ hash }) => hash) : {},
  ),
  gapWhere('gap-is-looked-for-first', (tip, parent) => tip !== null && parent !== null && parent !== tip.hash),
  gapWhere('no-tip-below-kept-blocks-is-a-gap', (tip, parent, tick) => tip === null && tick > 0 && parent !== null),
  linkedWhere('gap-not-noticed', () => true),
  linkedWhere('any-applied-parent-is-good', ({ parent }, pool) =>
    pool.tip(1_000).points.some(({ hash }) => hash === parent),
  ),
  fifo.told('gap-without-the-tip', { confirm: ({ kind }) => kind === 'gap' && { tip: none } }),
  fifo.told('duplicate-without-the-tip', { confirm: ({ kind }) => kind === 'duplicate' && { tip: none } }),
  gapWhere('first-block-must-be-the-first', (tip, parent) => tip === null && parent !== null),
  gapWhere('parent-required', (tip, parent) => tip !== null && parent === null),
  fifo.plant('parent-forgotten-by-null', (_, { pool }) => {
    let last: string | null = null;
    return {
      confirm: (block, context) => {
        const isForeign = last !== null && block.parent !== null && block.parent !== last;
        if (pool.currentTip.point === null && isForeign) return { kind: 'gap', tip: pool.currentTip };
        last = block.point.hash;
        return pool.confirm(block, context);
      },
    };
  }),
  gapWhere('linked-block-refused', (tip, parent) => parent !== null && parent === tip?.hash),
  refusedWith('gap-ages', 'gap', ages),
  refusedWith('duplicate-ages', 'duplicate', ages),
  refusedWith('gap-touches-its-transactions', 'gap', marks),
  refusedWith('duplicate-touches-its-transactions', 'duplicate', marks),
  fifo.around('undone-block-barred', {
    confirm: ({ pool, given, notes: { hashes } }) => {
      const { hash } = given[0].point;
      if (hashes.has(hash)) return { kind: 'duplicate', tip: pool.currentTip };
      const outcome = pool.confirm(...given);
      if (outcome.kind === 'applied') hashes.add(hash);
      return outcome;
    },
  }),
  fifo.plant('parent-is-the-block-applied-last', (_, { pool }) => {
    let last = '';
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block.parent === last ? { ...block, parent: null } : block, context);
        if (outcome.kind === 'applied') last = block.point.hash;
        return outcome;
      },
    };
  }),
];

/** X4. */
export const tipMutants: readonly Mutant[] = [
  fifo.given('tip-lists-a-thousand-points-at-the-most', { tip: (count) => Math.min(count, 1_000) }),
  fifo.given('tip-asked-for-more-than-it-keeps-lists-nothing', { tip: (count) => (count > 2_161 ? 0 : count) }),
  tip('tip-of-a-new-pool-is-a-point', (point) => point ?? origin),
  tip('tip-one-block-behind', (point, pool) => pool.pointAt(pool.currentTip.tick - 1) ?? point),
  fifo.told('tick-is-the-slot', { tip: ({ point }) => ({ tick: point === null ? 0 : point.slot / 20 }) }),
  points('points-oldest-first', (points) => points.toReversed()),
  points('points-without-the-tip', (points) => points.slice(1)),
  points('points-padded', (points) => (points.length > 1 ? [...points, ...Array(50).fill(origin)] : points)),
  points('points-one-too-few', (points) => points.slice(0, points.length > 2 ? -1 : undefined)),
  fifo.plant('points-older-than-kept', (_, { pool }) => {
    const all: ChainPoint[] = [];
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        if (outcome.kind === 'applied') all.unshift(block.point);
        return outcome;
      },
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        while (all.length > 0 && all[0]?.hash !== point?.hash && outcome.kind === 'rolled-back') all.shift();
        return outcome;
      },
      tip: (count) => ({ ...pool.tip(count), points: all.slice(0, count) }),
    };
  }),
  points('points-of-confirmed-ones-too', (points, pool) => {
    const confirmed = pool.peekInflight(0, 100).map(({ confirmedAt }) => confirmedAt);
    return [...points, ...confirmed.filter((point) => point !== null && pool.tickOf(point) === null)] as ChainPoint[];
  }),
  fifo.plant('points-not-rolled-back', (_, { pool }) => {
    let undone: ChainPoint[] = [];
    return {
      rollback: (point, context) => {
        const before = pool.tip(100).points;
        const outcome = pool.rollback(point, context);
        undone = before.filter((one) => pool.tickOf(one) === null);
        return outcome;
      },
      tip: (count) => {
        const { points, ...tip } = pool.tip(count);
        return { ...tip, points: points.toSpliced(1, 0, ...undone).slice(0, count) };
      },
    };
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
