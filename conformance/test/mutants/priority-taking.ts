import type { Candidate, KnownStage, Lot } from 'mempool-core';
import type { CheckedTake, Entry, PoolIndex, PriorityPool, TakeLease } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { type RankedDriver, type RankedVerb, ranked, ranking, seeing, settling } from './priority-pool.ts';

/** A call that keeps the lease of what it moves. */
function keepsLease(id: string, verbs: readonly RankedVerb[], stage: KnownStage): Mutant {
  return seeing(id, verbs, ({ index }) => ({
    move: (node, to, entry = node.entry) =>
      index.move(node, to, to === stage ? { ...entry, lease: node.entry.lease } : entry),
  }));
}

/** The pool goes by the time that callers say, however late that is. */
export function byCallersClock(id: string, verb: 'admit' | 'take' | 'sweep' | 'revise'): Mutant {
  let told: number | null = null;
  return ranked(id, {
    options: (options) => ({ ...options, now: () => told ?? options.now?.() ?? Date.now() }),
    answer: (driver) => {
      const call = driver[verb] as (...given: unknown[]) => unknown;
      return {
        [verb]: (...given: unknown[]) => {
          const moment = given.find(
            (one) => typeof one === 'object' && one !== null && 'now' in one && 'height' in one,
          );
          told = (moment as { readonly now: number | null } | undefined)?.now ?? null;
          try {
            return call(...given);
          } finally {
            told = null;
          }
        },
      };
    },
  });
}

/** A fault in the lot that is answered. */
function lotted(id: string, change: (lot: Lot, take: CheckedTake, index: PoolIndex) => Lot): Mutant {
  return ranking(id, (driver, { index }) => ({
    take: async (take, ...rest) => change(await driver.take(take, ...rest), take, index),
  }));
}

/** A fault in what is asked for. */
function asking(id: string, change: (take: CheckedTake, index: PoolIndex) => CheckedTake): Mutant {
  return ranking(id, (driver, { index }) => ({ take: (take, ...rest) => driver.take(change(take, index), ...rest) }));
}

/** Answers repeats in a way of its own. */
function repeating(
  id: string,
  again: (
    first: Lot,
    driver: RankedDriver,
    pool: PriorityPool,
    given: Parameters<RankedDriver['take']>,
  ) => Lot | Promise<Lot>,
): Mutant {
  return ranking(id, (driver, pool) => {
    const lots = new Map<string, Lot>();
    return {
      take: async (...given) => {
        const [, , { operationId }] = given;
        const first = lots.get(operationId ?? '');
        if (first !== undefined) return again(first, driver, pool, given);
        const lot = await driver.take(...given);
        if (operationId !== undefined) lots.set(operationId, lot);
        return lot;
      },
    };
  });
}

const inFlight = (index: PoolIndex, { hash }: Candidate): boolean => index.node(hash)?.stage === 'Propagated';

/** P8. */
export const takingMutants: readonly Mutant[] = [
  keepsLease('lease-not-ended-by-acknowledging', ['move'], 'Acknowledged'),
  keepsLease('lease-not-ended-by-releasing', ['move'], 'Pending'),
  keepsLease('lease-not-ended-by-a-block', ['confirm'], 'Confirmed'),
  keepsLease('lease-not-ended-by-an-unseen', ['confirm'], 'Pending'),
  keepsLease('lease-not-ended-by-dropping', ['drop'], 'Dropped'),
  keepsLease('lease-not-ended-by-its-end', ['sweep'], 'Pending'),
  byCallersClock('lease-by-a-callers-clock', 'take'),
  ranking('taken-ones-not-marked', (driver) => ({
    take: async (take, moment, context) => {
      const { leaseId, owner, budget } = take;
      const { untilMs } = await driver.take({ ...take, budget: { ...budget, maxTxs: 0 } }, moment, context);
      return { leaseId, owner, untilMs, transactions: await driver.reap(budget, context) };
    },
  })),
  lotted('lot-in-order-of-arrival', (lot) => ({
    ...lot,
    transactions: [...lot.transactions].sort((a, b) => a.seq - b.seq),
  })),
  lotted('lot-without-its-owner', (lot) => ({ ...lot, owner: 'anybody' })),
  lotted('lot-with-the-length-of-its-lease', (lot, { leaseMs }) => ({ ...lot, untilMs: leaseMs })),
  lotted('lot-without-gas', (lot) => ({ ...lot, transactions: lot.transactions.map((one) => ({ ...one, gas: 0 })) })),
  asking('one-lease-for-all-lots', (take) => ({ ...take, leaseId: take.leaseId.length > 20 ? 'lease' : take.leaseId })),
  asking('owner-not-kept', (take) => ({ ...take, owner: 'pool' })),
  asking('lease-a-millisecond-shorter', (take) => ({ ...take, leaseMs: take.leaseMs - 1 })),
  asking('leases-of-a-second-at-least', (take) => ({ ...take, leaseMs: Math.max(1_000, take.leaseMs) })),
  asking('leases-all-of-a-length', (take) => ({ ...take, leaseMs: 1_000 })),
  asking('taking-passes-nothing-over', (take) => ({ ...take, budget: { ...take.budget, skip: 0 } })),
  asking('taking-without-regard-to-bytes', (take) => ({ ...take, budget: { ...take.budget, maxBytes: 1e9 } })),
  asking('taking-without-regard-to-gas', (take) => ({ ...take, budget: { ...take.budget, maxGas: 1e9 } })),
  asking('taking-without-overhead', (take) => ({ ...take, budget: { ...take.budget, overheadBytes: 0 } })),
  asking('taking-with-a-little-more-gas', (take) => ({
    ...take,
    budget: { ...take.budget, maxGas: take.budget.maxGas + 1 },
  })),
  asking('taking-one-more', (take) => ({ ...take, budget: { ...take.budget, maxTxs: take.budget.maxTxs + 1 } })),
  seeing('children-of-the-taken-wait', ['take'], ({ index }) => ({
    order: {
      walk: (visit) =>
        index.order.walk((standing, node) => {
          const { requires } = node.entry.verdict;
          const isHeld = requires.some((tag) => [...index.providers.of(tag)].some(({ stage }) => stage !== 'Pending'));
          return isHeld || visit(standing, node);
        }),
    } as PoolIndex['order'],
  })),
  repeating('taken-twice-with-the-same-id', (_, driver, __, [take, moment, context]) =>
    driver.take({ ...take, leaseId: `${take.leaseId} again` }, moment, { ...context, operationId: undefined }),
  ),
  repeating('repeated-take-tells-all-it-took', (first) => first),
  repeating('repeated-take-tells-nothing', (first) => ({ ...first, transactions: [] })),
  repeating('repeated-take-tells-what-is-in-flight', (first, _, { index }) => ({
    ...first,
    transactions: first.transactions.filter((one) => inFlight(index, one)).sort((a, b) => a.seq - b.seq),
  })),
  repeating('repeated-take-begins-a-new-lease', async (first, driver, { index }, [take, moment, context]) => {
    const held = first.transactions.filter((one) => index.node(one.hash)?.entry.lease?.id === take.leaseId);
    const { untilMs } = await driver.take({ ...take, budget: { ...take.budget, maxTxs: 0 } }, moment, {
      ...context,
      operationId: undefined,
    });
    return { ...first, untilMs: untilMs + 1, transactions: held };
  }),
  seeing('marked-ones-are-under-a-lease', ['move'], ({ index, given }) => ({
    move: (node, stage, entry = node.entry) => {
      const lease: TakeLease = { id: 'marked', owner: 'pool', untilMs: entry.admittedAt + 1_000 };
      const leased: Entry = given[0] === 'markInflight' ? { ...entry, lease } : entry;
      return index.move(node, stage, leased);
    },
  })),
  settling('counters-go-on-after-a-return', ['move'], (step) => ({
    ...step,
    writes: step.writes.map((write) => ({
      ...write,
      after: write.after.stage === 'Propagated' ? { ...write.after, tick: 0 } : write.after,
    })),
  })),
];
