import type { KnownStage, Lot } from 'mempool-core';
import type { CheckedTake, PoolIndex, TakeLease } from 'mempool-core/backend';
import { withWrites } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { priority, type RankedDriver, type RankedVerb } from './priority-pool.ts';

type Take = Parameters<RankedDriver['take']>;

/** A call that keeps the lease of what it moves. */
function keepsLease(id: string, verb: RankedVerb, to: KnownStage): Mutant {
  return priority.moves(id, [verb], (_, stage, node) => stage === to && { lease: node.entry.lease });
}

/** The pool goes by the time that callers say, however late that is. */
export function byCallersClock(id: string, verb: 'admit' | 'take' | 'sweep' | 'revise'): Mutant {
  let told: number | null = null;
  return priority.faults(id, {
    options: (options) => ({ ...options, now: () => told ?? options.now?.() ?? Date.now() }),
    answer: (driver) => ({
      [verb]: (...given: unknown[]) => {
        const isMoment = (one: unknown) => typeof one === 'object' && one !== null && 'now' in one && 'height' in one;
        told = (given.find(isMoment) as { readonly now: number | null } | undefined)?.now ?? null;
        try {
          return (driver[verb] as (...all: unknown[]) => unknown)(...given);
        } finally {
          told = null;
        }
      },
    }),
  });
}

/** A fault in the lot that is answered. */
function lotted(id: string, change: (lot: Lot, take: CheckedTake) => Partial<Lot>): Mutant {
  return priority.told(id, { take: (lot, { given: [take] }) => change(lot, take) });
}

/** A fault in what is asked for. */
function asking(id: string, change: (take: CheckedTake) => Partial<CheckedTake>): Mutant {
  return priority.given(id, { take: (take) => change(take) });
}

/** A fault in the room that is taken for. */
function within(id: string, change: (budget: CheckedTake['budget']) => Partial<CheckedTake['budget']>): Mutant {
  return asking(id, ({ budget }) => ({ budget: { ...budget, ...change(budget) } }));
}

/** Answers repeats in a way of its own. */
function repeating(
  id: string,
  again: (first: Lot, index: PoolIndex, driver: RankedDriver, given: Take) => object | Promise<object>,
): Mutant {
  return priority.around(id, {
    take: async ({ whole, index, given, notes: { patches } }) => {
      const [, , { operationId = '' }] = given;
      const first = patches.get(operationId) as Lot | undefined;
      if (first !== undefined) return { ...first, ...(await again(first, index, whole, given)) };
      const lot = await whole.take(...given);
      if (operationId !== '') patches.set(operationId, lot);
      return lot;
    },
  });
}

/** Nothing, to be told when a lease that begins now would end. */
const none = ({ budget, ...take }: CheckedTake): CheckedTake => ({ ...take, budget: { ...budget, maxTxs: 0 } });

/** P8. */
export const takingMutants: readonly Mutant[] = [
  keepsLease('lease-not-ended-by-acknowledging', 'move', 'Acknowledged'),
  keepsLease('lease-not-ended-by-releasing', 'move', 'Pending'),
  keepsLease('lease-not-ended-by-a-block', 'confirm', 'Confirmed'),
  keepsLease('lease-not-ended-by-an-unseen', 'confirm', 'Pending'),
  keepsLease('lease-not-ended-by-dropping', 'drop', 'Dropped'),
  keepsLease('lease-not-ended-by-its-end', 'sweep', 'Pending'),
  byCallersClock('lease-by-a-callers-clock', 'take'),
  priority.around('taken-ones-not-marked', {
    take: async ({ whole, given: [take, moment, context] }) => {
      const { leaseId, owner, budget } = take;
      const { untilMs } = await whole.take(none(take), moment, context);
      return { leaseId, owner, untilMs, transactions: await whole.reap(budget, context) };
    },
  }),
  lotted('lot-in-order-of-arrival', ({ transactions }) => ({
    transactions: transactions.toSorted((a, b) => a.seq - b.seq),
  })),
  lotted('lot-without-its-owner', () => ({ owner: 'anybody' })),
  lotted('lot-with-the-length-of-its-lease', (_, { leaseMs }) => ({ untilMs: leaseMs })),
  priority.each('lot-without-gas', { take: () => ({ gas: 0 }) }),
  asking('one-lease-for-all-lots', ({ leaseId }) => (leaseId.length > 20 ? { leaseId: 'lease' } : {})),
  asking('owner-not-kept', () => ({ owner: 'pool' })),
  asking('lease-a-millisecond-shorter', ({ leaseMs }) => ({ leaseMs: leaseMs - 1 })),
  asking('leases-of-a-second-at-least', ({ leaseMs }) => ({ leaseMs: Math.max(1_000, leaseMs) })),
  asking('leases-all-of-a-length', () => ({ leaseMs: 1_000 })),
  within('taking-passes-nothing-over', () => ({ skip: 0 })),
  within('taking-without-regard-to-bytes', () => ({ maxBytes: 1e9 })),
  within('taking-without-regard-to-gas', () => ({ maxGas: 1e9 })),
  within('taking-without-overhead', () => ({ overheadBytes: 0 })),
  within('taking-with-a-little-more-gas', ({ maxGas }) => ({ maxGas: maxGas + 1 })),
  within('taking-one-more', ({ maxTxs }) => ({ maxTxs: maxTxs + 1 })),
  priority.view('children-of-the-taken-wait', ['take'], ({ index }) => ({
    order: {
      walk: (visit) =>
        index.order.walk((standing, node) => {
          const { requires } = node.entry.verdict;
          const isHeld = requires.some((tag) => [...index.providers.of(tag)].some(({ stage }) => stage !== 'Pending'));
          return isHeld || visit(standing, node);
        }),
    } as PoolIndex['order'],
  })),
  repeating('taken-twice-with-the-same-id', (_, __, driver, [take, moment]) =>
    driver.take({ ...take, leaseId: `${take.leaseId} again` }, moment, free),
  ),
  repeating('repeated-take-tells-all-it-took', (first) => first),
  repeating('repeated-take-tells-nothing', () => ({ transactions: [] })),
  repeating('repeated-take-tells-what-is-in-flight', ({ transactions }, index) => {
    const flying = transactions.filter(({ hash }) => index.node(hash)?.stage === 'Propagated');
    return { transactions: flying.sort((a, b) => a.seq - b.seq) };
  }),
  repeating('repeated-take-begins-a-new-lease', async ({ transactions }, index, driver, [take, moment]) => {
    const { untilMs } = await driver.take(none(take), moment, free);
    const isHeld = ({ hash }: { hash: string }) => index.node(hash)?.entry.lease?.id === take.leaseId;
    return { untilMs: untilMs + 1, transactions: transactions.filter(isHeld) };
  }),
  priority.moves('marked-ones-are-under-a-lease', ['move'], ({ admittedAt }, _, __, { given }) => {
    const lease: TakeLease = { id: 'marked', owner: 'pool', untilMs: admittedAt + 1_000 };
    return given[0] === 'markInflight' && { lease };
  }),
  priority.decided('counters-go-on-after-a-return', ['move'], (step) =>
    withWrites(step, ({ stage }) => stage === 'Propagated' && { tick: 0 }),
  ),
];
