import type { OpenOptions, SweepOptions } from 'mempool-core';
import type { MoveVerb, TxState } from 'mempool-core/backend';
import { retold } from './events.ts';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { Notes } from './operators.ts';
import type { WriteVerb } from './planted-driver.ts';
import { pools } from './store-operators.ts';

const dayMs = 86_400_000;

/** What one verb writes of O8 in another way. Times of 0 stand for the call's. */
function keeping(id: string, verb: WriteVerb, change: Partial<TxState['facts']>): Mutant {
  return fifo.writes(id, ({ facts }, called) => called === verb && { facts: { ...facts, ...change } });
}

/** The attempts of what a verb moved, told wrong by so many. */
function miscounting(id: string, verb: MoveVerb, by: number): Mutant {
  return fifo.each(id, {
    [verb]: (hash: string, { notes }: { notes: Notes }) => void notes.hashes.add(hash),
    checkStatus: ({ hash, attempts }, { notes }) => notes.hashes.has(hash) && { attempts: attempts + by },
  });
}

/** O8, and O4 about times. */
export const factMutants: readonly Mutant[] = [
  keeping('received-when-marked', 'markInflight', { receivedAt: 0 }),
  keeping('attempts-counted-once', 'markInflight', { attempts: 1 }),
  fifo.each('undone-without-attempts', {
    rollback: (_, { notes }) => {
      notes.count += 1;
    },
    checkStatus: (_, { notes }) => notes.count > 0 && { attempts: 0 },
  }),
  miscounting('a-release-takes-its-attempt-back', 'release', -1),
  miscounting('acknowledging-is-an-attempt', 'markAcknowledged', 1),
  fifo.each('received-when-confirmed', {
    checkStatus: ({ stage, receivedAt }) => stage === 'Confirmed' && { receivedAt: (receivedAt ?? 0) + 300 },
  }),
  fifo.writes('a-new-life-counts-on', ({ hash, facts }, verb, pool) => {
    const before = pool.txState(hash);
    return verb === 'receive' && before !== null && { facts: { ...facts, attempts: before.facts.attempts } };
  }),
  fifo.writes('a-new-life-was-received-long-ago', ({ hash, facts }, verb, pool) => {
    const before = pool.txState(hash);
    return verb === 'receive' && before !== null && { facts: { ...facts, receivedAt: before.facts.receivedAt } };
  }),
  fifo.each('waiting-without-receivedAt', { peekPending: () => ({ receivedAt: null }) }),
  fifo.each('flying-without-attempts', { peekInflight: () => ({ attempts: 0 }) }),
  fifo.each('found-without-attempts', { findInflight: () => ({ attempts: 0 }) }),
  fifo.each('status-without-receivedAt', { checkStatus: () => ({ receivedAt: null }) }),
  fifo.each('log-without-attempts', { dumpFinalized: () => ({ attempts: 0 }) }),
  fifo.each('ended-when-received', { dumpFinalized: ({ receivedAt }) => ({ at: receivedAt }) }),
  fifo.events('events-without-attempts', () => ({ attempts: 0 })),
  pools.each('a-take-counts-for-the-next-one', { take: ({ attempts }) => ({ attempts: attempts - 1 }) }),
  pools.each('a-take-is-no-attempt', {
    take: ({ hash }, { notes: { numbers } }) => void numbers.set(hash, (numbers.get(hash) ?? 0) + 1),
    checkStatus: ({ hash, attempts }, { notes: { numbers } }) => ({
      attempts: Math.max(0, attempts - (numbers.get(hash) ?? 0)),
    }),
  }),
];

const nowOf = ({ now = Date.now }: OpenOptions): number => now();
const ttlOf = ({ inflightTtlMs = dayMs }: OpenOptions): number => inflightTtlMs;
const hashesOf = (all: readonly { readonly hash: string }[]): string[] => all.map(({ hash }) => hash);

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
  retold('overdue-told-as-aged', 'expired', 'block'),
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
  pools.told('released-ones-are-overdue-too', {
    release: (moved, { notes: { hashes } }) => {
      for (const hash of moved) hashes.add(hash);
    },
    sweep: async ({ expired }, { store, options, notes: { hashes } }) => {
      const now = nowOf(options);
      const known = await store.checkStatus([...hashes]);
      const late = known.filter(({ receivedAt }) => now - (receivedAt ?? now) > ttlOf(options));
      return { expired: [...expired, ...(await store.drop(hashesOf(late), 'stale'))] };
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
  pools.told('the-first-going-out-counts', {
    markInflight: (moved, { options, notes: { numbers } }) => {
      for (const hash of moved) if (!numbers.has(hash)) numbers.set(hash, nowOf(options));
    },
    sweep: async ({ expired }, { store, options, notes: { numbers } }) => {
      const now = nowOf(options);
      const flying = (await store.peekInflight()).transactions;
      const late = flying.filter(({ hash }) => now - (numbers.get(hash) ?? now) > ttlOf(options));
      return { expired: [...expired, ...(await store.drop(hashesOf(late), 'stale'))] };
    },
  }),
  pools.told('oldest-by-seq', {
    usage: async ({ oldestInflight }, { store }) => {
      const [first] = (await store.peekInflight()).transactions;
      return oldestInflight !== null && first && { oldestInflight: { ...oldestInflight, hash: first.hash } };
    },
  }),
  // Of those that went out at one time, the one that more blocks have passed is told.
  pools.told('blocks-part-equal-times', {
    markInflight: (moved, { options, notes: { numbers } }) => {
      for (const hash of moved) numbers.set(hash, nowOf(options));
    },
    usage: async ({ oldestInflight: oldest }, { store, notes: { numbers } }) => {
      const flying = (await store.peekInflight()).transactions.filter(({ stage }) => stage !== 'Confirmed');
      const equal = flying.filter(({ hash }) => numbers.get(hash) === oldest?.sentAt);
      const [first] = equal.sort((a, b) => b.nonConfirmations - a.nonConfirmations);
      return { oldestInflight: oldest && { ...oldest, hash: first?.hash ?? oldest.hash } };
    },
  }),
];
