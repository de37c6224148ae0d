import type { CheckedBlock } from '../contract/driver.ts';
import type { Life } from '../contract/lifecycle.ts';
import type { ConfirmOutcome, RollbackOutcome } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { appliedOutcome } from '../rules/answers.ts';
import { type ChainPlan, planConfirm, planUndo, type Step, stepOf, undoneOutcome } from '../rules/step.ts';
import { conflictReason, dropRivals, resolveReturns } from './conflict.ts';
import type { PoolIndex } from './pool-index.ts';
import { Draft, type Planning } from './step-builder.ts';

type Planned = Exclude<ChainPlan<never>, { readonly answer: never }>;

/** L5, L6, X3; what the block has done for tags, and against those who provide the same. */
export function confirmPoolStep(pool: Planning, block: CheckedBlock): Step<ConfirmOutcome> {
  const plan = planConfirm(pool.view, block);
  if ('answer' in plan) return stepOf(pool.view, plan.answer, []);
  const { tick } = plan.chain;
  const draft = new Draft(pool, tick);
  if (plan.chain.kind === 'applied') draft.index.satisfied.moveFloor(plan.chain.floor);
  moveAll(draft, plan);
  for (const { after } of plan.changes) if (after.stage === 'Finalized') satisfyBy(draft, after);
  for (const tag of block.provides) draft.index.satisfy(tag, tick);
  const shown = shownTags(draft, block);
  nameConflicts(draft, plan, shown);
  dropRivals(draft, shown);
  resolveReturns(draft, returnedIn(plan));
  const tip = { point: { ...block.point }, tick };
  return draft.step(appliedOutcome(draft.changes(), tip), plan);
}

/** L9; what undone blocks had done for tags is undone too. */
export function rollbackPoolStep(pool: Planning, point: ChainPoint | null): Step<RollbackOutcome> {
  const plan = planUndo(pool.view, point);
  if ('answer' in plan) return stepOf(pool.view, plan.answer, []);
  const { tick } = plan.chain;
  const draft = new Draft(pool, tick);
  const withdrawn = draft.index.satisfied.after(tick);
  for (const tag of withdrawn) draft.index.forget(tag);
  for (const life of plan.clamped) draft.clamp(life);
  moveAll(draft, plan);
  resolveReturns(draft, returnedIn(plan), withdrawn);
  uncheck(draft.index, pool.view.currentTip.tick, tick);
  const returned = draft.changes().filter(({ after }) => after.stage === 'Pending').length;
  return draft.step(undoneOutcome(pool.view, point, tick, returned), plan);
}

/**
 * Verdicts that may be of an undone block are given back to before the block that stands. How high the chain is by the callers'
 * count is not known but from the highest verdict, and from the tick, which is never above it.
 */
function uncheck(index: PoolIndex, from: number, to: number): void {
  const { checked, checkedAway } = index.ages;
  const later = [...checked.list.after(to), ...checkedAway.list.after(to)];
  const highest = later.reduce((most, { entry }) => Math.max(most, entry.checkedHeight), to);
  const fork = Math.max(to, highest - (from - to));
  for (const node of later) {
    const { entry, stage } = node;
    if (entry.checkedHeight > fork) index.move(node, stage, { ...entry, checkedHeight: Math.max(0, fork - 1) });
  }
}

function moveAll(draft: Draft, { changes }: Planned): void {
  for (const { before, after } of changes) if (before !== null) draft.move(before, after);
}

function returnedIn({ changes }: Planned): string[] {
  return changes.filter(({ after }) => after.stage === 'Pending').map(({ after }) => after.hash);
}

/** What a final transaction did stays done although it leaves the pool. */
function satisfyBy(draft: Draft, { hash, tick }: Life): void {
  for (const tag of draft.index.node(hash)?.entry.verdict.provides ?? []) draft.index.satisfy(tag, tick);
}

/** What would have been dropped by its age alone is told what happened to its tags. */
function nameConflicts(draft: Draft, { changes }: Planned, shown: ReadonlySet<string>): void {
  for (const { before, after } of changes) {
    if (before === null || after.stage !== 'Dropped') continue;
    const isRival = draft.index.node(after.hash)?.entry.verdict.provides.some((tag) => shown.has(tag));
    if (isRival) draft.move(before, { ...after, reason: conflictReason });
  }
}

function shownTags({ index }: Draft, { provides, seen }: CheckedBlock): Set<string> {
  const tags = new Set(provides);
  for (const hash of seen) {
    const node = index.node(hash);
    if (node?.stage !== 'Confirmed' && node?.stage !== 'Finalized') continue;
    for (const tag of node.entry.verdict.provides) tags.add(tag);
  }
  return tags;
}
