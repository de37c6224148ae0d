import { budgetChecks } from './fifo-budget-checks.ts';
import { gossipChecks } from './fifo-gossip-checks.ts';
import { leaseChecks } from './fifo-lease-checks.ts';
import { limitChecks } from './fifo-limit-checks.ts';
import type { FifoCheck } from './fifo-scenario.ts';

/** For every backend: what a pool in order of arrival does beside the lifecycle. */
export const fifoChecks: readonly FifoCheck[] = [...budgetChecks, ...leaseChecks, ...limitChecks, ...gossipChecks];
