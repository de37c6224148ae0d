import type { CheckedBlock } from '../contract/driver.ts';
import type { Lease } from '../contract/lease.ts';
import type { ConfirmOutcome, RollbackOutcome } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { appliedOutcome } from '../rules/answers.ts';
import { type ChainPlan, planConfirm, planUndo, type Step, stepOf, undoneOutcome } from '../rules/step.ts';
import { conflictReason, dropRivals, resolveReturns } from './conflict.ts';
import type { PoolIndex } from './pool-index.ts';
import { type Planning, StepBuilder } from './step-builder.ts';

type Planned = Exclude<ChainPlan<never>, { readonly answer: never }>;

/** Plans a block (L5, L6, X3). The block satisfies tags, and other providers of these tags are dropped. */
export function confirmPoolStep(
  pool: Planning,
  nowMs: number,
  block: CheckedBlock,
  lease: Lease | null,
): Step<ConfirmOutcome> {
  const plan = planConfirm(pool.view, block, lease);
  if ('answer' in plan) return stepOf(pool.view, plan.answer, []);
  const { tick } = plan.chain;
  const builder = new StepBuilder(pool, nowMs, tick);
  if (plan.chain.kind === 'applied') builder.index.satisfied.moveFloor(plan.chain.floor);
  moveAll(builder, plan);
  for (const { after } of plan.changes) if (after.stage === 'Finalized') builder.satisfyBy(after);
  for (const tag of block.provides) builder.index.satisfy(tag, tick);
  const shown = shownTags(builder, block);
  nameConflicts(builder, plan, shown);
  dropRivals(builder, shown);
  resolveReturns(builder, returnedIn(plan));
  const tip = { point: { ...block.point }, tick };
  return builder.step(appliedOutcome(builder.changes(), tip), plan);
}

/** Plans a rollback (L9). Tags that the undone blocks satisfied are no longer satisfied. */
export function rollbackPoolStep(
  pool: Planning,
  nowMs: number,
  point: ChainPoint | null,
  lease: Lease | null,
): Step<RollbackOutcome> {
  const plan = planUndo(pool.view, point, lease);
  if ('answer' in plan) return stepOf(pool.view, plan.answer, []);
  const { tick } = plan.chain;
  const builder = new StepBuilder(pool, nowMs, tick);
  const withdrawn = builder.index.satisfied.after(tick);
  for (const tag of withdrawn) builder.index.forget(tag);
  for (const txState of plan.clamped) builder.clamp(txState);
  moveAll(builder, plan);
  resolveReturns(builder, returnedIn(plan), withdrawn);
  uncheck(builder.index, pool.view.currentTip.tick, tick);
  const returned = builder.changes().filter(({ after }) => after.stage === 'Pending').length;
  return builder.step(undoneOutcome(pool.view, point, tick, returned), plan);
}

/**
 * Lowers the checked height of verdicts that may come from an undone block to below the fork. The callers' height of
 * the chain is unknown. It is estimated from the highest verdict and from the tick, which is never above the height.
 */
function uncheck(index: PoolIndex, from: number, to: number): void {
  const { checked, checkedAway } = index.ages;
  const later = [...checked.after(to), ...checkedAway.after(to)];
  const highest = later.reduce((most, { entry }) => Math.max(most, entry.checkedHeight), to);
  const fork = Math.max(to, highest - (from - to));
  for (const node of later) {
    const { entry, stage } = node;
    if (entry.checkedHeight > fork) index.move(node, stage, { ...entry, checkedHeight: Math.max(0, fork - 1) });
  }
}

function moveAll(builder: StepBuilder, { changes }: Planned): void {
  for (const { before, after, cause } of changes) if (before !== null) builder.move(before, after, cause);
}

function returnedIn({ changes }: Planned): string[] {
  return changes.filter(({ after }) => after.stage === 'Pending').map(({ after }) => after.hash);
}

/** A transaction that conflicts with the block gets that reason, even if its age alone would drop it. */
function nameConflicts(builder: StepBuilder, { changes }: Planned, shown: ReadonlySet<string>): void {
  for (const { before, after } of changes) {
    if (before === null || after.stage !== 'Dropped') continue;
    const isRival = builder.index.node(after.hash)?.entry.verdict.provides.some((tag) => shown.has(tag));
    if (isRival) builder.move(before, { ...after, reason: conflictReason }, conflictReason);
  }
}

function shownTags({ index }: StepBuilder, { provides, seen }: CheckedBlock): Set<string> {
  const tags = new Set(provides);
  for (const hash of seen) {
    const node = index.node(hash);
    if (node?.stage !== 'Confirmed' && node?.stage !== 'Finalized') continue;
    for (const tag of node.entry.verdict.provides) tags.add(tag);
  }
  return tags;
}
