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
  ttl('overdue-a-moment-late', (ttlMs) => ttlMs + 1),
  pools.opened('overdue-by-rounded-milliseconds', ({ now = Date.now, ...options }) => ({
    ...options,
    now: () => Math.round(now()),
  })),
  pools.opened('in-flight-for-a-week', (options) => ({ inflightTtlMs: 7 * dayMs, ...options })),
  ttl('never-is-a-year', (ttlMs) => Math.min(ttlMs, 365 * dayMs)),
  pools.each('overdue-without-its-reason', {
    dumpFinalized: ({ reason }) => reason === 'stale' && { reason: 'expired' },
  }),
  pools.told('overdue-but-not-listed', {
    sweep: async ({ expired }, { store }) => {
      const told = await store.checkStatus(expired);
      return { expired: told.filter(({ reason }) => reason !== 'stale').map(({ hash }) => hash) };
    },
  }),
  pools.told('the-latest-goes-first', { sweep: ({ expired }) => ({ expired: expired.toReversed() }) }),
  pools.given('acknowledging-begins-the-time-anew', {
    markAcknowledged: (_, { options, notes }) => void notes.numbers.set('acknowledged', nowOf(options)),
    sweep: (asked, { options, notes: { numbers } }) => {
      const atMs = numbers.get('acknowledged') ?? 0;
      return atMs > 0 && atMs + ttlOf(options) >= nowOf(options) && upTo(atMs, asked);
    },
  }),
  pools.around('a-claim-keeps-what-is-overdue', {
    take: async ({ store, options, given, notes: { numbers } }) => {
      const claim = await store.take(...given);
      numbers.set('taken', nowOf(options)).set('until', claim.untilMs);
      return claim;
    },
    sweep: ({ store, options, given: [asked], notes: { numbers } }) => {
      const isClaimed = (numbers.get('until') ?? 0) > nowOf(options);
      return store.sweep(isClaimed ? upTo((numbers.get('taken') ?? 0) + ttlOf(options), asked) : asked);
    },
  }),
  pools.told('oldest-by-seq', {
    usage: async ({ oldestInflight }, { store }) => {
      const [first] = (await store.peekInflight()).transactions;
      return oldestInflight !== null && first && { oldestInflight: { ...oldestInflight, hash: first.hash } };
    },
  }),
];
