import type { Block, ChainPoint, ConfirmOutcome, KnownStage, RollbackOutcome, Thresholds } from 'mempool-core';
import { type AppliedBlock, applyBlock, settle, type TxState, undoBlocks } from '../life.ts';
import * as pools from '../pool.ts';
import { closesCycle, type Member, providersOf } from './graph.ts';
import { drop, entryOf, graphOf, isLiving, type PriorityState, satisfy, tickOf, uncheck } from './state.ts';

/** X3, then L5, L6, L7, and the effect of a block on the tags of others. */
export function confirm(
  state: PriorityState,
  { point, parent, seen, unseen = [], provides = [] }: Block,
  thresholds: Thresholds,
  maxRollback: number,
): ConfirmOutcome {
  const tip = pools.tipOf(state.pool);
  const isApplied = pools.keptBlocks(state.pool).some((block) => pools.samePoint(block.point, point));
  if (isApplied) return { kind: 'duplicate', tip };
  const isBelow = parent === undefined && point.slot < (tip.point?.slot ?? 0);
  const isApart = parent !== undefined && parent !== (tip.point?.hash ?? parent);
  if (isBelow || isApart) return { kind: 'gap', tip };
  const block = { point, seen: new Set(seen), unseen: new Set(unseen.filter((hash) => !seen.includes(hash))) };
  append(state, block, maxRollback);
  for (const hash of seen) revive(state, hash, 'Dropped');
  const before = new Map([...state.pool.live].map(([hash, { stage }]) => [hash, stage]));
  for (const txState of state.pool.live.values()) applyBlock(txState, block);
  satisfy(state, provides, pools.tipOf(state.pool).tick);
  const confirming = seen.filter((hash) => isOnChain(pools.currentLife(state.pool, hash)?.stage));
  const tags = [...provides, ...confirming.flatMap((hash) => entryOf(state, hash).verdict.provides)];
  dropConflicts(state, tags);
  for (const txState of state.pool.live.values()) settle(txState, thresholds);
  for (const txState of state.pool.live.values()) if (txState.stage === 'Finalized') satisfyBy(state, txState);
  settleReturns(state, ({ hash }) => before.get(hash) !== 'Pending', []);
  return { kind: 'applied', tip: pools.tipOf(state.pool), ...countStages(state, before) };
}

function isOnChain(stage: KnownStage | undefined): boolean {
  return stage === 'Confirmed' || stage === 'Finalized';
}

function satisfyBy(state: PriorityState, txState: TxState): void {
  satisfy(state, entryOf(state, txState.hash).verdict.provides, tickOf(state, txState));
}

function countStages({ pool }: PriorityState, before: ReadonlyMap<string, KnownStage>) {
  const txStates = [...pool.live.values()];
  const count = (wanted: (stage: KnownStage, old: KnownStage | undefined) => boolean): number =>
    txStates.filter(({ hash, stage }) => wanted(stage, before.get(hash))).length;
  return {
    confirmed: count((stage, old) => isOnChain(stage) && old !== 'Confirmed'),
    returned: count((stage, old) => stage === 'Pending' && old !== 'Pending'),
    finalized: count((stage) => stage === 'Finalized'),
    dropped: count((stage) => stage === 'Dropped'),
  };
}

/** The chain has these tags. Any other transaction that provides one of them and is not on the chain is dropped. */
export function dropConflicts(state: PriorityState, tags: readonly string[]): void {
  for (const txState of state.pool.live.values()) {
    if (!isLiving(txState) || txState.stage === 'Confirmed') continue;
    if (entryOf(state, txState.hash).verdict.provides.some((tag) => tags.includes(tag))) drop(txState, 'conflict');
  }
}

/**
 * Takes out of the pool: what came back, other providers of the same tags, and what requires a withdrawn tag. Puts each back, one
 * after the other by seq, if its tags are free and it closes no cycle.
 */
function settleReturns(
  state: PriorityState,
  cameBack: (txState: TxState) => boolean,
  withdrawn: readonly string[],
): void {
  const members = graphOf(state).members.filter(({ stage }) => stage !== 'Confirmed');
  const isBack = ({ hash, stage }: Member): boolean =>
    stage === 'Pending' && cameBack(state.pool.live.get(hash) as TxState);
  const tagsBack = members.filter(isBack).flatMap(({ verdict }) => verdict.provides);
  const open = members.filter(
    (member) =>
      isBack(member) ||
      member.verdict.provides.some((tag) => tagsBack.includes(tag)) ||
      member.verdict.requires.some((tag) => withdrawn.includes(tag)),
  );
  for (const [i, member] of open.entries()) {
    const graph = graphOf(state);
    const there = {
      ...graph,
      members: graph.members.filter(({ hash }) => !open.slice(i).some((later) => later.hash === hash)),
    };
    const isTaken = member.verdict.provides.some(
      (tag) => graph.satisfied.has(tag) || providersOf(there, tag).length > 0,
    );
    const txState = state.pool.live.get(member.hash) as TxState;
    if (isTaken) drop(txState, 'conflict');
    else if (closesCycle(there, member)) drop(txState, 'cycle');
  }
}

/** L9, L13: a new tip; blocks older than `maxRollback` and their inclusions are forgotten. */
function append(state: PriorityState, block: AppliedBlock, maxRollback: number): void {
  const { pool } = state;
  pool.chain.push(block);
  pool.forgotten = Math.max(pool.forgotten, pool.chain.length - 1 - maxRollback);
  forgetInclusions(state);
  for (const hash of block.seen) if (!pool.inclusions.has(hash)) pool.inclusions.set(hash, block);
  for (const hash of block.unseen) pool.inclusions.delete(hash);
}

function forgetInclusions({ pool }: PriorityState): void {
  const kept = new Set(pools.keptBlocks(pool));
  for (const [hash, block] of pool.inclusions) if (!kept.has(block)) pool.inclusions.delete(hash);
}

/** Makes a hash live again whose latest log entry has that stage. The caller sets the new stage. */
function revive({ pool }: PriorityState, hash: string, stage: 'Finalized' | 'Dropped'): void {
  const txState = pools.currentLife(pool, hash);
  if (txState?.stage !== stage) return;
  const { seq, reason, cause, times } = txState;
  const [confirmedBy, agedBy] = [[...txState.confirmedBy], [...txState.agedBy]];
  pool.live.set(hash, { hash, seq, stage, confirmedBy, agedBy, reason, cause, times: { ...times } });
}

/** L9. */
export function rollback(state: PriorityState, point: ChainPoint | null): RollbackOutcome {
  const { pool } = state;
  const tip = pools.tipOf(pool);
  const kept = pools.keptBlocks(pool);
  if (point === null && tip.point === null) return { kind: 'unchanged', tip };
  const target = point === null ? -1 : kept.findIndex((block) => pools.samePoint(block.point, point));
  if (point !== null && target < 0) return { kind: 'unknown-point', tip, oldest: kept[0]?.point ?? null };
  if (target === kept.length - 1) return { kind: 'unchanged', tip };
  const undone = new Set(kept.slice(target + 1));
  pool.chain = pool.chain.filter((block) => !undone.has(block));
  forgetInclusions(state);
  const before = new Set([...pool.live.values()].filter(({ stage }) => stage === 'Pending'));
  undo(state, undone);
  const withdrawn = [...state.satisfied].flatMap(([tag, tick]) => (tick > pool.chain.length ? [tag] : []));
  for (const tag of withdrawn) state.satisfied.delete(tag);
  settleReturns(state, (txState) => !before.has(txState), withdrawn);
  uncheck(state, pool.chain.length, undone.size);
  const returned = [...pool.live.values()].filter(
    (txState) => txState.stage === 'Pending' && !before.has(txState),
  ).length;
  return { kind: 'rolled-back', tip: pools.tipOf(pool), undone: undone.size, returned };
}

function undo(state: PriorityState, undone: ReadonlySet<AppliedBlock>): void {
  const { log, live } = state.pool;
  const finals = new Set(log.map(({ hash }) => hash)).difference(new Set(live.keys()));
  for (const hash of finals) {
    const confirming = pools.currentLife(state.pool, hash)?.confirmedBy[0];
    if (confirming !== undefined && undone.has(confirming)) revive(state, hash, 'Finalized');
  }
  for (const txState of live.values()) undoBlocks(txState, undone);
}
