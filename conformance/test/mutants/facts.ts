import type { OpenOptions, SweepOptions } from 'mempool-core';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import { pools } from './store-operators.ts';

const dayMs = 86_400_000;

/** O8, and O4 about times. */
export const factMutants: readonly Mutant[] = [
  fifo.each('waiting-without-receivedAt', { peekPending: () => ({ receivedAt: null }) }),
];

const nowOf = ({ now = Date.now }: OpenOptions): number => now();
const ttlOf = ({ inflightTtlMs = dayMs }: OpenOptions): number => inflightTtlMs;

function ttl(id: string, change: (ttlMs: number) => number): Mutant {
  return pools.opened(id, (options) => ({ ...options, inflightTtlMs: change(ttlOf(options)) }));
}

/** The options of a sweep that takes place no later than that. */
function upTo(nowMs: number, options: SweepOptions = {}): SweepOptions {
  return { ...options, now: Math.min(nowMs, options.now ?? nowMs) };
}

/** L14. */
export const overdueMutants: readonly Mutant[] = [
  ttl('overdue-a-moment-early', (ttlMs) => ttlMs - 1),
  ttl('never-is-a-year', (ttlMs) => Math.min(ttlMs, 365 * dayMs)),
  pools.given('acknowledging-begins-the-time-anew', {
    markAcknowledged: (_, { options, notes }) => void notes.numbers.set('acknowledged', nowOf(options)),
    sweep: (asked, { options, notes: { numbers } }) => {
      const atMs = numbers.get('acknowledged') ?? 0;
      return atMs > 0 && atMs + ttlOf(options) >= nowOf(options) && upTo(atMs, asked);
    },
  }),
];
