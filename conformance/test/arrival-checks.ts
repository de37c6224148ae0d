import { budgetChecks } from './arrival-budget-checks.ts';
import { gossipChecks } from './arrival-gossip-checks.ts';
import { leaseChecks } from './arrival-lease-checks.ts';
import { limitChecks } from './arrival-limit-checks.ts';
import type { ArrivalCheck } from './arrival-scenario.ts';

/** For every backend: what a pool in order of arrival does beside the lifecycle. */
export const arrivalChecks: readonly ArrivalCheck[] = [
  ...budgetChecks,
  ...leaseChecks,
  ...limitChecks,
  ...gossipChecks,
];
