import type { ChainPoint, RollbackOutcome } from 'mempool-core';
import type { CheckedBlock, PoolView, Step, TxState } from 'mempool-core/backend';
import { fifo, withWrites } from './fifo-operators.ts';
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

/** The rules are told that each block refused was one more block. */
function ages(pool: PlantedDriver): void {
  const flying = [...pool.txStates('Propagated'), ...pool.txStates('Acknowledged')];
  pool.force(flying.map((txState) => ({ ...txState, tick: txState.tick - 1 })));
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

const pointsIn = (known: ReadonlyMap<string, unknown>) => (known.get('all') ?? []) as ChainPoint[];
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
  gapWhere('parent-required', (tip, parent) => tip !== null && parent === null),
  fifo.instead('parent-forgotten-by-null', {
    confirm: ({ pool: { currentTip }, given: [{ parent, point }], notes: { known } }) => {
      const last = known.get('last') ?? null;
      const isForeign = last !== null && parent !== null && parent !== last;
      if (currentTip.point === null && isForeign) return { kind: 'gap', tip: currentTip };
      known.set('last', point.hash);
      return null;
    },
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
  tip('tip-one-block-behind', (point, pool) => pool.pointAt(pool.currentTip.tick - 1) ?? point),
  fifo.told('tick-is-the-slot', { tip: ({ point }) => ({ tick: point === null ? 0 : point.slot / 20 }) }),
  points('points-oldest-first', (points) => points.toReversed()),
  points('points-without-the-tip', (points) => points.slice(1)),
  points('points-padded', (points) => (points.length > 1 ? [...points, ...Array(50).fill(origin)] : points)),
  points('points-one-too-few', (points) => points.slice(0, points.length > 2 ? -1 : undefined)),
  fifo.told('points-older-than-kept', {
    confirm: ({ kind }, { given: [{ point }], notes: { known } }) => {
      if (kind === 'applied') known.set('all', [point, ...pointsIn(known)]);
    },
    rollback: ({ kind }, { given: [target], notes: { known } }) => {
      const all = pointsIn(known);
      const at = all.findIndex(({ hash }) => hash === target?.hash);
      if (kind === 'rolled-back') known.set('all', at < 0 ? [] : all.slice(at));
    },
    tip: (_, { given: [count], notes: { known } }) => ({ points: pointsIn(known).slice(0, count) }),
  }),
  points('points-of-confirmed-ones-too', (points, pool) => {
    const confirmed = pool.peekInflight(0, 100).transactions.map(({ confirmedAt }) => confirmedAt);
    return [...points, ...confirmed.filter((point) => point !== null && pool.tickOf(point) === null)] as ChainPoint[];
  }),
  fifo.around('points-not-rolled-back', {
    rollback: ({ pool, given, notes: { known } }) => {
      const before = pool.tip(100).points;
      const outcome = pool.rollback(...given);
      const undone = before.filter((one) => pool.tickOf(one) === null);
      known.set('all', undone);
      return outcome;
    },
    tip: ({ pool, given: [count], notes: { known } }) => {
      const { points, ...tip } = pool.tip(count);
      return { ...tip, points: points.toSpliced(1, 0, ...pointsIn(known)).slice(0, count) };
    },
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
  pick: (pool: PlantedDriver) => TxState[],
  change: (txState: TxState, tick: number) => object,
): Mutant {
  return fifo.around(id, {
    rollback: ({ pool, given }) => {
      const txStates = pick(pool);
      const outcome = pool.rollback(...given);
      if (outcome.kind === 'rolled-back')
        pool.force(txStates.map((txState) => ({ ...txState, ...change(txState, outcome.tip.tick) })));
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
      const isLater = (txState: TxState) => txState.tick <= tick && txState.tick + txState.confirmations - 1 > tick;
      return [...pool.confirmedAfter(tick), ...pool.txStates('Finalized').filter(isLater)];
    },
  })),
  fifo.only('return-erases-the-entry', {
    dumpFinalized: ({ hash, point }, { pool }) => point === null || point.slot === pool.confirmedAt(hash)?.slot,
  }),
  fifo.around('forgotten-finalized-returns', {
    confirm: ({ pool, given, notes }) => {
      const outcome = pool.confirm(...given);
      for (const { hash } of pool.txStates('Finalized', given[0].seen)) notes.hashes.add(hash);
      return outcome;
    },
    rollback: ({ pool, given, notes }) => {
      const gone = [...notes.hashes].filter((hash) => pool.txState(hash) === null).length;
      const outcome = pool.rollback(...given);
      return outcome.kind === 'rolled-back' ? { ...outcome, returned: outcome.returned + gone } : outcome;
    },
  }),
  afterwards(
    'stale-one-flies-again',
    (pool) => pool.txStates('Dropped').filter(({ reason }) => reason === 'stale'),
    (_, tick) => ({ stage: 'Propagated', tick, reason: null }),
  ),
  fifo.plant('revived-one-is-dropped-again', (_, { pool }) => {
    const revived = new Map<string, TxState>();
    pool.decide = (step, verb) => {
      for (const { after } of step.writes)
        for (const txState of pool.txStates('Dropped', [after.hash]))
          if (verb === 'confirm') revived.set(after.hash, txState);
      return verb === 'rollback' ? withWrites(step, ({ hash }) => revived.get(hash)) : step;
    };
    return {};
  }),
  fifo.around('unseen-is-undone', {
    confirm: ({ pool, given, notes: { patches } }) => {
      const txStates = pool.txStates('Confirmed', given[0].unseen);
      const { tip, ...outcome } = pool.confirm(...given);
      for (const txState of txStates) patches.set(`${txState.hash} ${tip.tick}`, { txState, at: tip.tick });
      return { ...outcome, tip };
    },
    rollback: ({ pool, given, notes: { patches } }) => {
      const outcome = pool.rollback(...given);
      const before = [...patches.values()] as { readonly txState: TxState; readonly at: number }[];
      const undone = before.filter(({ at }) => at > outcome.tip.tick).map(({ txState }) => txState);
      pool.force(undone, ({ tick }) => pool.pointAt(tick));
      return outcome;
    },
  }),
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
  fifo.view('marked-after-the-target-keeps-its-tick', () => ({ waitingAfter: () => [] })),
  fifo.view('rollback-makes-all-young', (pool, verb) => {
    const flying = () => [...pool.txStates('Propagated'), ...pool.txStates('Acknowledged')];
    return verb === 'rollback'
      ? { waitingAfter: () => flying().map((txState) => ({ ...txState, tick: 1_000_000 })) }
      : {};
  }),
  undoing('rollback-resets-acknowledged', ({ writes }, pool) => {
    const reset = pool.txStates('Acknowledged').map((txState) => ({ ...txState, stage: 'Propagated' }));
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
      const confirmed = pool.txStates('Confirmed').map(({ hash }) => hash);
      const outcome = pool.rollback(...given);
      for (const { hash } of pool.txStates('Pending', confirmed)) notes.hashes.add(hash);
      return outcome;
    },
    markInflight: ({ call, given: [hashes, context], notes }) => {
      const free = hashes.filter((hash) => !notes.hashes.has(hash));
      return call(free, context);
    },
  }),
  fifo.told('rollback-marks-what-waits', {
    rollback: ({ kind, tip: { tick } }, { pool }) => {
      const [first] = kind === 'rolled-back' ? pool.peekPending(0, 1).transactions : [];
      const txStates = pool.txStates('Pending', first ? [first.hash] : []);
      pool.force(txStates.map((txState) => ({ ...txState, stage: 'Propagated', tick })));
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
  stores.given('null-taken-for-the-origin', { rollback: (target) => target ?? 'origin' }),
  stores.given('null-refused', {
    rollback: (target) => (target === 'origin' ? Promise.reject(new Error('no point')) : target),
  }),
];
