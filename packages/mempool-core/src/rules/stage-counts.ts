import type { StoreEvent } from '../contract/events.ts';

/** The counters of `usage` that go by stage. */
export const stageCounters = ['pending', 'propagated', 'acknowledged', 'confirmed'] as const;

export type StageCounts = Record<(typeof stageCounters)[number], number>;

const counterOf: Readonly<Record<string, keyof StageCounts>> = {
  Pending: 'pending',
  RolledBack: 'pending',
  Propagated: 'propagated',
  Acknowledged: 'acknowledged',
  Confirmed: 'confirmed',
};

/** Brings the counters up to date with the events of one step: one less where each transaction was, one more where it is. */
export function countStages(counts: StageCounts, events: readonly StoreEvent[]): void {
  for (const event of events) {
    if (event.kind === 'block') continue;
    const [before, after] = [counterOf[event.previous.stage], counterOf[event.stage]];
    if (before !== undefined) counts[before] -= 1;
    if (after !== undefined) counts[after] += 1;
  }
}
