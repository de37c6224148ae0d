import type { Block, ChainPoint, ConfirmOutcome, KnownStage, RollbackOutcome, Thresholds } from 'mempool-core';
import { type AppliedBlock, applyBlock, type Life, settle, undoBlocks } from '../life.ts';
import * as pools from '../pool.ts';
import { closesCycle, type Member, providersOf } from './graph.ts';
import { drop, entryOf, graphOf, isLiving, type PriorityState, satisfy, tickOf, uncheck } from './state.ts';

/** X3, then L5, L6, L7, with what a block means for the tags of others. */
export function confirm(
  state: PriorityState,
  { point, parent, seen, unseen, provides = [] }: Block,
  thresholds: Thresholds,
  maxRollback: number,
): ConfirmOutcome {
  const tip = pools.tipOf(state.pool);
  const isApplied = pools.keptBlocks(state.pool).some((block) => pools.samePoint(block.point, point));
  if (isApplied) return { kind: 'duplicate', tip };
  if (tip.point !== null && parent !== undefined && parent !== tip.point.hash) return { kind: 'gap', tip };
  const block = { point, seen: new Set(seen), unseen: new Set(unseen.filter((hash) => !seen.includes(hash))) };
  append(state, block, maxRollback);
  for (const hash of seen) revive(state, hash, 'Dropped');
  const before = new Map([...state.pool.live].map(([hash, { stage }]) => [hash, stage]));
  for (const life of state.pool.live.values()) applyBlock(life, block);
  satisfy(state, provides, pools.tipOf(state.pool).tick);
  const confirming = seen.filter((hash) => isOnChain(pools.currentLife(state.pool, hash)?.stage));
  const tags = [...provides, ...confirming.flatMap((hash) => entryOf(state, hash).verdict.provides)];
  dropConflicts(state, tags);
  for (const life of state.pool.live.values()) settle(life, thresholds);
  for (const life of state.pool.live.values()) if (life.stage === 'Finalized') satisfyBy(state, life);
  settleReturns(state, ({ hash }) => before.get(hash) !== 'Pending', []);
  return { kind: 'applied', tip: pools.tipOf(state.pool), ...countStages(state, before) };
}

function isOnChain(stage: KnownStage | undefined): boolean {
  return stage === 'Confirmed' || stage === 'Finalized';
}

function satisfyBy(state: PriorityState, life: Life): void {
  satisfy(state, entryOf(state, life.hash).verdict.provides, tickOf(state, life));
}

function countStages({ pool }: PriorityState, before: ReadonlyMap<string, KnownStage>) {
  const lives = [...pool.live.values()];
  const count = (wanted: (stage: KnownStage, old: KnownStage | undefined) => boolean): number =>
    lives.filter(({ hash, stage }) => wanted(stage, before.get(hash))).length;
  return {
    confirmed: count((stage, old) => isOnChain(stage) && old !== 'Confirmed'),
    returned: count((stage, old) => stage === 'Pending' && old !== 'Pending'),
    finalized: count((stage) => stage === 'Finalized'),
    dropped: count((stage) => stage === 'Dropped'),
  };
}

/** The chain has these tags: whoever else provides them, and is not on it, cannot come any more. */
export function dropConflicts(state: PriorityState, tags: readonly string[]): void {
  for (const life of state.pool.live.values()) {
    if (!isLiving(life) || life.stage === 'Confirmed') continue;
    if (entryOf(state, life.hash).verdict.provides.some((tag) => tags.includes(tag))) drop(life, 'conflict');
  }
}

/**
 * What came back, what provides the same, and what asks for a tag that the chain withdrew: taken out of the pool, and put back one
 * after the other by seq, where its tags are free and it does not come before and after itself.
 */
function settleReturns(state: PriorityState, cameBack: (life: Life) => boolean, withdrawn: readonly string[]): void {
  const members = graphOf(state).members.filter(({ stage }) => stage !== 'Confirmed');
  const isBack = ({ hash, stage }: Member): boolean =>
    stage === 'Pending' && cameBack(state.pool.live.get(hash) as Life);
  const tagsBack = members.filter(isBack).flatMap(({ verdict }) => verdict.provides);
  const open = members.filter(
    (member) =>
      isBack(member) ||
      member.verdict.provides.some((tag) => tagsBack.includes(tag)) ||
      member.verdict.requires.some((tag) => withdrawn.includes(tag)),
  );
  for (const [i, member] of open.entries()) {
    const { satisfied, members: left } = graphOf(state);
    const there = {
      satisfied,
      members: left.filter(({ hash }) => !open.slice(i).some((later) => later.hash === hash)),
    };
    const isTaken = member.verdict.provides.some((tag) => satisfied.has(tag) || providersOf(there, tag).length > 0);
    const life = state.pool.live.get(member.hash) as Life;
    if (isTaken) drop(life, 'conflict');
    else if (closesCycle(there, member)) drop(life, 'cycle');
  }
}

/** L9, L13: a new tip; what is older than `maxRollback` blocks is not kept, nor what was seen there. */
function append(state: PriorityState, block: AppliedBlock, maxRollback: number): void {
  const { pool } = state;
  pool.chain.push(block);
  pool.forgotten = Math.max(pool.forgotten, pool.chain.length - 1 - maxRollback);
  forgetSightings(state);
  for (const hash of block.seen) if (!pool.sightings.has(hash)) pool.sightings.set(hash, block);
  for (const hash of block.unseen) pool.sightings.delete(hash);
}

function forgetSightings({ pool }: PriorityState): void {
  const kept = new Set(pools.keptBlocks(pool));
  for (const [hash, block] of pool.sightings) if (!kept.has(block)) pool.sightings.delete(hash);
}

/** Makes a hash live again whose latest log entry has that stage. The caller gives it its new one. */
function revive({ pool }: PriorityState, hash: string, stage: 'Finalized' | 'Dropped'): void {
  const life = pools.currentLife(pool, hash);
  if (life?.stage !== stage) return;
  const { seq, reason } = life;
  const [confirmedBy, agedBy] = [[...life.confirmedBy], [...life.agedBy]];
  pool.live.set(hash, { hash, seq, stage, confirmedBy, agedBy, reason });
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
  forgetSightings(state);
  const before = new Set([...pool.live.values()].filter(({ stage }) => stage === 'Pending'));
  undo(state, undone);
  const withdrawn = [...state.satisfied].flatMap(([tag, tick]) => (tick > pool.chain.length ? [tag] : []));
  for (const tag of withdrawn) state.satisfied.delete(tag);
  settleReturns(state, (life) => !before.has(life), withdrawn);
  uncheck(state, pool.chain.length, undone.size);
  const returned = [...pool.live.values()].filter((life) => life.stage === 'Pending' && !before.has(life)).length;
  return { kind: 'rolled-back', tip: pools.tipOf(pool), undone: undone.size, returned };
}

function undo(state: PriorityState, undone: ReadonlySet<AppliedBlock>): void {
  const { log, live } = state.pool;
  const finals = new Set(log.map(({ hash }) => hash)).difference(new Set(live.keys()));
  for (const hash of finals) {
    const confirming = pools.currentLife(state.pool, hash)?.confirmedBy[0];
    if (confirming !== undefined && undone.has(confirming)) revive(state, hash, 'Finalized');
  }
  for (const life of live.values()) undoBlocks(life, undone);
}
