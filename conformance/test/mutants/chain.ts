import type { ChainPoint, ConfirmOutcome, PoolView } from 'mempool-core';
import { answered, handed, type Mutant, opened, told } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

const free = { signal: undefined, operationId: undefined };

/** A block that is refused leaves a trace. */
function refusedWith(
  id: string,
  kind: 'gap' | 'duplicate',
  trace: (pool: PlantedDriver, seen: readonly string[]) => void,
): Mutant {
  return answered(id, (pool) => ({
    confirm: (block, context) => {
      const outcome = pool.confirm(block, context);
      if (outcome.kind === kind) trace(pool, block.seen);
      return outcome;
    },
  }));
}

/** The rules are told that each block refused was one more block. */
function ages(pool: PlantedDriver): void {
  const writes = pool.peekInflight(0, 1_000).flatMap(({ hash, stage }) => {
    const life = pool.life(hash);
    return life && stage !== 'Confirmed' ? [{ after: { ...life, tick: life.tick - 1 }, point: null, body: null }] : [];
  });
  pool.apply({ outcome: null, writes, events: [], chain: null, operation: null });
}

function marks(pool: PlantedDriver, seen: readonly string[]): void {
  pool.move('markInflight', seen, free);
  pool.move('markAcknowledged', seen, free);
}

function answering(id: string, alter: (outcome: ConfirmOutcome, pool: PlantedDriver) => ConfirmOutcome): Mutant {
  return answered(id, (pool) => ({ confirm: (block, context) => alter(pool.confirm(block, context), pool) }));
}

function pointsOf(id: string, alter: (points: ChainPoint[], pool: PlantedDriver) => ChainPoint[]): Mutant {
  return answered(id, (pool) => ({
    tip: (count) => {
      const tip = pool.tip(count);
      return { ...tip, points: alter(tip.points, pool).slice(0, count) };
    },
  }));
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

/** X3. */
export const chainMutants: readonly Mutant[] = [
  told('applied-blocks-not-known', () => (verb) => (verb === 'confirm' ? { tickOf: () => null } : {})),
  told('only-the-tip-is-a-duplicate', (pool) => (verb) => ({
    tickOf: (point) => {
      const tick = pool.tickOf(point);
      return verb === 'rollback' || tick === pool.currentTip.tick ? tick : null;
    },
  })),
  told('blocks-known-by-hash-alone', (pool) => (verb) => (verb === 'confirm' ? knownBy(pool, ({ hash }) => hash) : {})),
  answered('gap-is-looked-for-first', (pool) => ({
    confirm: (block, context) => {
      const { point } = pool.currentTip;
      if (point !== null && block.parent !== null && block.parent !== point.hash)
        return { kind: 'gap', tip: pool.currentTip };
      return pool.confirm(block, context);
    },
  })),
  answered('no-tip-below-kept-blocks-is-a-gap', (pool) => ({
    confirm: (block, context) => {
      const { point, tick } = pool.currentTip;
      if (point === null && tick > 0 && block.parent !== null) return { kind: 'gap', tip: pool.currentTip };
      return pool.confirm(block, context);
    },
  })),
  answered('gap-not-noticed', (pool) => ({
    confirm: (block, context) => pool.confirm({ ...block, parent: null }, context),
  })),
  answered('any-applied-parent-is-good', (pool) => ({
    confirm: (block, context) => {
      const { points } = pool.tip(1_000);
      const known = points.some(({ hash }) => hash === block.parent);
      return pool.confirm(known ? { ...block, parent: null } : block, context);
    },
  })),
  answering('gap-without-the-tip', (outcome) =>
    outcome.kind === 'gap' ? { kind: 'gap', tip: { point: null, tick: 0 } } : outcome,
  ),
  answering('duplicate-without-the-tip', (outcome) =>
    outcome.kind === 'duplicate' ? { kind: 'duplicate', tip: { point: null, tick: 0 } } : outcome,
  ),
  answered('first-block-must-be-the-first', (pool) => ({
    confirm: (block, context) =>
      pool.currentTip.point === null && block.parent !== null
        ? { kind: 'gap', tip: pool.currentTip }
        : pool.confirm(block, context),
  })),
  answered('parent-required', (pool) => ({
    confirm: (block, context) =>
      pool.currentTip.point !== null && block.parent === null
        ? { kind: 'gap', tip: pool.currentTip }
        : pool.confirm(block, context),
  })),
  answered('parent-forgotten-by-null', (pool) => {
    let last: ChainPoint | null = null;
    return {
      confirm: (block, context) => {
        if (pool.currentTip.point === null && last !== null && block.parent !== null && block.parent !== last.hash)
          return { kind: 'gap', tip: pool.currentTip };
        last = block.point;
        return pool.confirm(block, context);
      },
    };
  }),
  answered('linked-block-refused', (pool) => ({
    confirm: (block, context) =>
      block.parent !== null && block.parent === pool.currentTip.point?.hash
        ? { kind: 'gap', tip: pool.currentTip }
        : pool.confirm(block, context),
  })),
  refusedWith('gap-ages', 'gap', ages),
  refusedWith('duplicate-ages', 'duplicate', ages),
  refusedWith('gap-touches-its-transactions', 'gap', marks),
  refusedWith('duplicate-touches-its-transactions', 'duplicate', marks),
  answered('undone-block-barred', (pool) => {
    const applied = new Set<string>();
    return {
      confirm: (block, context) => {
        if (applied.has(block.point.hash)) return { kind: 'duplicate', tip: pool.currentTip };
        const outcome = pool.confirm(block, context);
        if (outcome.kind === 'applied') applied.add(block.point.hash);
        return outcome;
      },
    };
  }),
  answered('parent-is-the-block-applied-last', (pool) => {
    let last = '';
    return {
      confirm: (block, context) => {
        const linked = block.parent === last;
        const outcome = pool.confirm(linked ? { ...block, parent: null } : block, context);
        if (outcome.kind === 'applied') last = block.point.hash;
        return outcome;
      },
    };
  }),
];

/** X4. */
export const tipMutants: readonly Mutant[] = [
  answered('tip-lists-a-thousand-points-at-the-most', (pool) => ({ tip: (count) => pool.tip(Math.min(count, 1_000)) })),
  answered('tip-asked-for-more-than-it-keeps-lists-nothing', (pool) => ({
    tip: (count) => pool.tip(count > 2_161 ? 0 : count),
  })),
  answered('tip-of-a-new-pool-is-a-point', (pool) => ({
    tip: (count) => {
      const tip = pool.tip(count);
      return { ...tip, point: tip.point ?? { slot: 0, hash: '00'.repeat(32) } };
    },
  })),
  answered('tip-one-block-behind', (pool) => ({
    tip: (count) => ({ ...pool.tip(count), point: pool.pointAt(pool.currentTip.tick - 1) ?? pool.currentTip.point }),
  })),
  answered('tick-is-the-slot', (pool) => ({
    tip: (count) => {
      const tip = pool.tip(count);
      return { ...tip, tick: tip.point === null ? 0 : tip.point.slot / 20 };
    },
  })),
  pointsOf('points-oldest-first', (points) => points.toReversed()),
  pointsOf('points-without-the-tip', (points) => points.slice(1)),
  pointsOf('points-padded', (points) =>
    points.length > 1 ? [...points, ...Array.from({ length: 50 }, () => ({ slot: 0, hash: '00'.repeat(32) }))] : points,
  ),
  pointsOf('points-one-too-few', (points) => points.slice(0, points.length > 2 ? -1 : undefined)),
  answered('points-older-than-kept', (pool) => {
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
  pointsOf('points-of-confirmed-ones-too', (points, pool) => [
    ...points,
    ...pool
      .peekInflight(0, 100)
      .flatMap(({ confirmedAt }) => (confirmedAt && pool.tickOf(confirmedAt) === null ? [confirmedAt] : [])),
  ]),
  answered('points-not-rolled-back', (pool) => {
    let undone: ChainPoint[] = [];
    return {
      rollback: (point, context) => {
        const before = pool.tip(100).points;
        const outcome = pool.rollback(point, context);
        undone = before.filter((one) => pool.tickOf(one) === null);
        return outcome;
      },
      tip: (count) => {
        const tip = pool.tip(count);
        return { ...tip, points: [...tip.points.slice(0, 1), ...undone, ...tip.points.slice(1)].slice(0, count) };
      },
    };
  }),
  pointsOf('slots-in-32-bits', (points) => points.map((point) => ({ ...point, slot: point.slot % 2 ** 32 }))),
  handed('slots-in-48-bits', (store) => ({
    confirm: (block, policy, options) =>
      store.confirm({ ...block, point: { ...block.point, slot: block.point.slot % 2 ** 48 } }, policy, options),
  })),
  answered('slot-zero-is-no-tip', (pool) => ({
    tip: (count) => {
      const tip = pool.tip(count);
      return { ...tip, point: withoutZero(tip.point) };
    },
  })),
  pointsOf('slot-zero-is-no-point', (points) => points.filter(({ slot }) => slot > 0)),
  told('slot-zero-takes-any-parent', (pool) => () => ({
    currentTip: { ...pool.currentTip, point: withoutZero(pool.currentTip.point) },
  })),
  answered('slot-zero-undoes-all', (pool) => ({
    rollback: (point, context) => pool.rollback(withoutZero(point), context),
  })),
  answered('slot-zero-is-no-block-of-a-status', (pool) => ({
    checkStatus: (hashes) =>
      pool.checkStatus(hashes).map((one) => ({ ...one, confirmedAt: withoutZero(one.confirmedAt) })),
  })),
  answered('slot-zero-is-no-block-of-an-entry', (pool) => ({
    dumpFinalized: (cursor, limit) => {
      const page = pool.dumpFinalized(cursor, limit);
      return { ...page, entries: page.entries.map((entry) => ({ ...entry, point: withoutZero(entry.point) })) };
    },
  })),
  opened('one-point-kept', (options) => ({ ...options, maxRollback: 1 })),
];
