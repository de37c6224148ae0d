/** How long the fail-overs of a run took, from its record. */
import { beliefsOf, entriesOf, type FailoverRecord, holdersOf, killFault } from 'mempool-conformance/failover';

export interface Durations {
  readonly count: number;
  readonly medianMs: number | null;
  readonly maxMs: number | null;
}

export interface Figures {
  readonly leaderships: number;
  readonly applied: number;
  readonly fenced: number;
  /** Blocks that were compared with the lease held when they were applied. */
  readonly compared: number;
  /** From the kill to the next win. */
  readonly crash: Durations;
  /** From the request to the next win, if a leader resigned or was stopped in order. */
  readonly handOver: Durations;
}

/** Faults that are a clean hand-over. */
const handOverFaults: readonly string[] = ['resign', 'clean stop'];

const nsPerMs = 1e6;

export function figuresOf(record: FailoverRecord): Figures {
  const answers = entriesOf(record, 'answered');
  return {
    leaderships: entriesOf(record, 'acquired').length,
    applied: answers.filter(({ outcome }) => outcome === 'applied').length,
    fenced: answers.filter(({ outcome }) => outcome === 'fenced').length,
    compared: holdersOf(record).size,
    crash: failoverTimes(record, [killFault]),
    handOver: failoverTimes(record, handOverFaults),
  };
}

/** Of faults that met the leader. */
function failoverTimes(record: FailoverRecord, names: readonly string[]): Durations {
  const beliefs = beliefsOf(record);
  const times = entriesOf(record, 'fault')
    .filter(({ fault, pid, at }) => {
      const led = beliefs.some((belief) => belief.pid === pid && belief.from <= at && at <= belief.to);
      return names.includes(fault) && led;
    })
    .map(({ at }) => Math.min(...beliefs.filter(({ from }) => from > at).map(({ from }) => from)) - at)
    .filter(Number.isFinite)
    .map((ns) => Math.round(ns / nsPerMs))
    .sort((a, b) => a - b);
  return { count: times.length, medianMs: times[Math.floor(times.length / 2)] ?? null, maxMs: times.at(-1) ?? null };
}
