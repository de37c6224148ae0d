import type { SweepOptions } from 'mempool-core';
import type { MoveVerb, TxState } from 'mempool-core/backend';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { Notes } from './operators.ts';
import type { WriteVerb } from './planted-driver.ts';
import { arrivals, pools } from './store-operators.ts';

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
  pools.around('a-take-counts-for-the-next-one', {
    take: async ({ store, given }) => {
      const claim = await store.take(...given);
      const transactions = claim.transactions.map((one) => ({ ...one, attempts: one.attempts - 1 }));
      return { ...claim, transactions };
    },
  }),
  pools.around('a-take-is-no-attempt', {
    take: async ({ store, given, notes }) => {
      const claim = await store.take(...given);
      for (const { hash } of claim.transactions) notes.numbers.set(hash, (notes.numbers.get(hash) ?? 0) + 1);
      return claim;
    },
    checkStatus: async ({ store, given, notes }) => {
      const told = await store.checkStatus(...given);
      return told.map((one) => ({ ...one, attempts: Math.max(0, one.attempts - (notes.numbers.get(one.hash) ?? 0)) }));
    },
  }),
];

/** The options of a sweep that takes place no later than that. */
function upTo(nowMs: number, options: SweepOptions = {}): SweepOptions {
  return { ...options, now: Math.min(nowMs, options.now ?? nowMs) };
}

/** L14. */
export const overdueMutants: readonly Mutant[] = [
  pools.opened('overdue-a-moment-early', ({ inflightTtlMs = dayMs, ...options }) => ({
    ...options,
    inflightTtlMs: inflightTtlMs - 1,
  })),
  pools.opened('overdue-a-moment-late', ({ inflightTtlMs = dayMs, ...options }) => ({
    ...options,
    inflightTtlMs: inflightTtlMs + 1,
  })),
  pools.opened('overdue-by-rounded-milliseconds', ({ now = Date.now, ...options }) => ({
    ...options,
    now: () => Math.round(now()),
  })),
  pools.opened('in-flight-for-a-week', (options) => ({ inflightTtlMs: 7 * dayMs, ...options })),
  pools.opened('never-is-a-year', ({ inflightTtlMs = dayMs, ...options }) => ({
    ...options,
    inflightTtlMs: Math.min(inflightTtlMs, 365 * dayMs),
  })),
  pools.each('overdue-without-its-reason', {
    dumpFinalized: ({ reason }) => reason === 'stale' && { reason: 'expired' },
  }),
  arrivals.around('overdue-told-as-aged', {
    subscribe: async ({ store, given }) => {
      const stream = await store.subscribe(...given);
      return (async function* () {
        for await (const event of stream)
          yield event.kind === 'transaction' && event.cause === 'expired' ? { ...event, cause: 'block' } : event;
      })();
    },
  }),
  pools.told('overdue-but-not-listed', {
    sweep: async ({ expired }, { store }) => {
      const told = await store.checkStatus(expired);
      return { expired: told.filter(({ reason }) => reason !== 'stale').map(({ hash }) => hash) };
    },
  }),
  pools.told('the-latest-goes-first', { sweep: ({ expired }) => ({ expired: expired.toReversed() }) }),
  pools.around('acknowledging-begins-the-time-anew', {
    markAcknowledged: ({ store, options: { now = Date.now }, given, notes }) => {
      notes.numbers.set('acknowledged', now());
      return store.markAcknowledged(...given);
    },
    sweep: ({ store, options: { now = Date.now, inflightTtlMs = dayMs }, given: [options], notes }) => {
      const atMs = notes.numbers.get('acknowledged') ?? 0;
      return store.sweep(atMs + inflightTtlMs < now() || atMs === 0 ? options : upTo(atMs, options));
    },
  }),
  pools.around('released-ones-are-overdue-too', {
    release: async ({ store, given, notes }) => {
      const moved = await store.release(...given);
      for (const hash of moved) notes.hashes.add(hash);
      return moved;
    },
    sweep: async ({ store, options: { now = Date.now, inflightTtlMs = dayMs }, given, notes }) => {
      const outcome = await store.sweep(...given);
      const known = await store.checkStatus([...notes.hashes]);
      const late = known.filter(({ receivedAt }) => now() - (receivedAt ?? now()) > inflightTtlMs);
      const dropped = await store.drop(
        late.map(({ hash }) => hash),
        'stale',
      );
      return { ...outcome, expired: [...outcome.expired, ...dropped] };
    },
  }),
  pools.around('a-claim-keeps-what-is-overdue', {
    take: async ({ store, options: { now = Date.now }, given, notes }) => {
      const claim = await store.take(...given);
      notes.numbers.set('taken', now()).set('until', claim.untilMs);
      return claim;
    },
    sweep: ({ store, options: { now = Date.now, inflightTtlMs = dayMs }, given: [options], notes }) => {
      const isClaimed = (notes.numbers.get('until') ?? 0) > now();
      return store.sweep(isClaimed ? upTo((notes.numbers.get('taken') ?? 0) + inflightTtlMs, options) : options);
    },
  }),
  pools.around('the-first-going-out-counts', {
    markInflight: async ({ store, options: { now = Date.now }, given, notes }) => {
      const moved = await store.markInflight(...given);
      for (const hash of moved) if (!notes.numbers.has(hash)) notes.numbers.set(hash, now());
      return moved;
    },
    sweep: async ({ store, options: { now = Date.now, inflightTtlMs = dayMs }, given, notes }) => {
      const outcome = await store.sweep(...given);
      const flying = (await store.peekInflight()).transactions.map(({ hash }) => hash);
      const late = flying.filter((hash) => now() - (notes.numbers.get(hash) ?? now()) > inflightTtlMs);
      return { ...outcome, expired: [...outcome.expired, ...(await store.drop(late, 'stale'))] };
    },
  }),
  pools.told('oldest-by-seq', {
    usage: async ({ oldestInflight }, { store }) => {
      const [first] = (await store.peekInflight()).transactions;
      return oldestInflight !== null && first && { oldestInflight: { ...oldestInflight, hash: first.hash } };
    },
  }),
  // Of those that went out at one time, the one that more blocks have passed is told.
  pools.around('blocks-part-equal-times', {
    markInflight: async ({ store, options: { now = Date.now }, given, notes }) => {
      const moved = await store.markInflight(...given);
      for (const hash of moved) notes.numbers.set(hash, now());
      return moved;
    },
    usage: async ({ store, given, notes }) => {
      const usage = await store.usage(...given);
      const { oldestInflight: oldest } = usage;
      const flying = (await store.peekInflight()).transactions.filter(({ stage }) => stage !== 'Confirmed');
      const equal = flying.filter(({ hash }) => notes.numbers.get(hash) === oldest?.sentAt);
      const [first] = equal.sort((a, b) => b.nonConfirmations - a.nonConfirmations);
      return { ...usage, oldestInflight: oldest && { ...oldest, hash: first?.hash ?? oldest.hash } };
    },
  }),
];
