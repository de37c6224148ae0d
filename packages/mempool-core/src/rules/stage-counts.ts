import type { StepEvent } from '../contract/events.ts';

/** The counters of `usage` that count transactions by stage. */
export const stageCounters = ['pending', 'propagated', 'acknowledged', 'confirmed'] as const;

/** Number of transactions by stage. */
export type StageCounts = Record<(typeof stageCounters)[number], number>;

const counterOf: Readonly<Record<string, keyof StageCounts>> = {
  Pending: 'pending',
  Propagated: 'propagated',
  Acknowledged: 'acknowledged',
  Confirmed: 'confirmed',
};

/**
 * Updates the counters, in place, with the events of one step: each transaction moves from its previous stage to its
 * new one.
 */
export function countStages(counts: StageCounts, events: readonly StepEvent[]): void {
  for (const event of events) {
    if (event.kind !== 'transaction') continue;
    const [before, after] = [counterOf[event.previous.stage], counterOf[event.stage]];
    if (before !== undefined) counts[before] -= 1;
    if (after !== undefined) counts[after] += 1;
  }
}
