import type { Claim, KnownStage, Sweep } from 'mempool-core';
import type { CheckedCallTime, CheckedTake, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import {
  leave,
  priority,
  type RankedDriver,
  type RankedFaults,
  type RankedVerb,
  withLimits,
} from './priority-operators.ts';

type Take = Parameters<RankedDriver['take']>;

/** A call that keeps the claim of what it moves. */
function keepsLease(id: string, verb: RankedVerb, to: KnownStage): Mutant {
  return priority.moves(id, [verb], (_, stage, node) => stage === to && { claim: node.entry.claim });
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
function lotted(id: string, change: (lot: Claim, take: CheckedTake) => Partial<Claim>): Mutant {
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
  again: (first: Claim, index: PoolIndex, driver: RankedDriver, given: Take) => object | Promise<object>,
): Mutant {
  return priority.around(id, {
    take: async ({ whole, index, given, notes: { patches } }) => {
      const [, , { operationId = '' }] = given;
      const first = patches.get(operationId) as Claim | undefined;
      if (first !== undefined) return { ...first, ...(await again(first, index, whole, given)) };
      const lot = await whole.take(...given);
      if (operationId !== '') patches.set(operationId, lot);
      return lot;
    },
  });
}

/** Nothing, to be told when a claim that begins now would end. */
const none = ({ budget, ...take }: CheckedTake): CheckedTake => ({ ...take, budget: { ...budget, maxTxs: 0 } });

/** P8. */
export const takingMutants: readonly Mutant[] = [
  keepsLease('lease-not-ended-by-acknowledging', 'move', 'Acknowledged'),
  keepsLease('lease-not-ended-by-dropping', 'drop', 'Dropped'),
  keepsLease('lease-not-ended-by-its-end', 'sweep', 'Pending'),
  byCallersClock('lease-by-a-callers-clock', 'take'),
  lotted('lot-with-the-length-of-its-lease', (_, { claimMs }) => ({ untilMs: claimMs })),
  asking('one-lease-for-all-lots', ({ claimId }) => (claimId.length > 20 ? { claimId: 'claim' } : {})),
  asking('lease-a-millisecond-shorter', ({ claimMs }) => ({ claimMs: claimMs - 1 })),
  asking('leases-all-of-a-length', () => ({ claimMs: 1_000 })),
  within('taking-passes-nothing-over', () => ({ skip: 0 })),
  within('taking-without-regard-to-gas', () => ({ maxGas: 1e9 })),
  within('taking-without-overhead', () => ({ overheadBytes: 0 })),
  within('taking-with-a-little-more-gas', ({ maxGas }) => ({ maxGas: maxGas + 1 })),
  repeating('taken-twice-with-the-same-id', (_, __, driver, [take, moment]) =>
    driver.take({ ...take, claimId: `${take.claimId} again` }, moment, free),
  ),
  repeating('repeated-take-tells-nothing', () => ({ transactions: [] })),
  repeating('repeated-take-tells-what-is-in-flight', ({ transactions }, index) => {
    const flying = transactions.filter(({ hash }) => index.node(hash)?.stage === 'Propagated');
    return { transactions: flying.sort((a, b) => a.seq - b.seq) };
  }),
  repeating('repeated-take-begins-a-new-lease', async ({ transactions }, index, driver, [take, moment]) => {
    const { untilMs } = await driver.take(none(take), moment, free);
    const isHeld = ({ hash }: { hash: string }) => index.node(hash)?.entry.claim?.id === take.claimId;
    return { untilMs: untilMs + 1, transactions: transactions.filter(isHeld) };
  }),
];

/** A fault in the moment that a sweep is made at. */
function sweptAt(id: string, change: (moment: CheckedCallTime) => Partial<CheckedCallTime>): Mutant {
  return priority.given(id, { sweep: (moment) => change(moment) });
}

/** More is done after a sweep, or something else told. */
function sweeping(
  id: string,
  more: (swept: Sweep, index: PoolIndex, driver: RankedDriver) => Partial<Sweep> | Promise<Partial<Sweep>>,
): Mutant {
  return priority.told(id, { sweep: (swept, { whole, index }) => more(swept, index, whole) });
}

type Lists = PoolIndex['ages'];
const names = ['leased', 'expiring', 'expiringHeight', 'admitted', 'admittedHeight', 'parked'] as const;
type ListName = (typeof names)[number];

/** Other lists of who waits how long. */
function listing(
  id: string,
  change: (name: ListName, nodes: PoolNode[], index: PoolIndex) => readonly PoolNode[],
): Mutant {
  return priority.view(id, ['sweep'], ({ index }) => {
    const list = (name: ListName) => [name, change(name, [...index.ages[name]], index)];
    return { ages: { held: index.ages.held, ...Object.fromEntries(names.map(list)) } as unknown as Lists };
  });
}

/** Some of those who wait are not asked how old they are. */
function ageless(id: string, isAsked: (node: PoolNode) => boolean): Mutant {
  return listing(id, (name, nodes) => (name === 'leased' ? nodes : nodes.filter(isAsked)));
}

/** A list is not looked at where a limit is set. */
function unread(id: string, limit: 'ttlMs' | 'ttlBlocks', list: ListName): Mutant {
  return listing(id, (name, nodes, { limits }) => (name === list && Number.isFinite(limits[limit]) ? [] : nodes));
}

/** Other claims than there are. */
function leasing(id: string, change: (held: readonly PoolNode[]) => PoolNode[]): Mutant {
  return listing(id, (name, nodes) => (name === 'leased' ? change(nodes) : nodes));
}

const flying = (index: PoolIndex): string[] =>
  [...index.nodes()].filter(({ stage }) => stage === 'Propagated' || stage === 'Acknowledged').map(({ hash }) => hash);

export const endless = Number.POSITIVE_INFINITY;
/** The pool's own time. */
export const now: CheckedCallTime = { now: null, height: null };

/** P9. */
export const sweepingMutants: readonly Mutant[] = [
  byCallersClock('sweep-by-a-callers-clock', 'sweep'),
  sweptAt('expired-at-its-very-time', ({ now }) => ({ now: now === null ? null : now + 1 })),
  sweptAt('expired-at-its-very-height', ({ height }) => ({ height: height === null ? null : height + 1 })),
  sweptAt('swept-at-the-pools-time-alone', () => ({ now: null })),
  sweptAt('swept-at-height-nought', ({ height }) => ({ height: height ?? 0 })),
  priority.limits('never-too-old', ['sweep'], () => ({ ttlMs: endless })),
  priority.limits('never-too-many-blocks', ['sweep'], () => ({ ttlBlocks: endless })),
  priority.limits('a-millisecond-younger', ['sweep'], ({ ttlMs }) => ({ ttlMs: ttlMs - 1 })),
  priority.limits('a-block-younger', ['sweep'], ({ ttlBlocks }) => ({ ttlBlocks: ttlBlocks - 1 })),
  priority.limits('a-block-older', ['sweep'], ({ ttlBlocks }) => ({ ttlBlocks: ttlBlocks + 1 })),
  priority.limits('time-stands-without-blocks', ['sweep'], (_, { memory }) =>
    memory.currentTip.tick === 0 ? { ttlMs: endless } : {},
  ),
  ageless('parked-ones-never-expire', ({ place }) => place?.ready === true),
  ageless('ready-ones-never-expire', ({ place }) => place?.ready === false),
  sweeping('expired-told-by-their-time', ({ expired }, index) => {
    const time = (hash: string): number => index.node(hash)?.entry.verdict.expiresAt ?? endless;
    return { expired: expired.toSorted((a, b) => (time(a) < time(b) ? -1 : 1)) };
  }),
  priority.ordered('swept-told-backwards', ['sweep'], (events) => events.reverse()),
  priority.around('time-to-live-of-the-open', {
    sweep: ({ whole, index, given, options: { limits } }) =>
      withLimits(index, { ttlMs: limits.ttlMs ?? endless }, () => whole.sweep(...given)),
  }),
  sweeping('children-expire-with-their-parent', async ({ expired }, index, driver) => {
    const tags = expired.flatMap((hash) => index.node(hash)?.entry.verdict.provides ?? []);
    const children = tags.flatMap((tag) => [...index.dependents.of(tag)]);
    return { expired: [...expired, ...(await leave(driver, children, 'expired'))] };
  }),
  priority.moves(
    'returned-ones-never-expire',
    ['sweep'],
    (_, stage) => stage === 'Pending' && { admittedAt: Number.MAX_SAFE_INTEGER },
  ),
  priority.told('sweeps-all-at-once', {
    sweep: async (swept, { whole, given: [moment] }) => {
      let [all, last] = [swept, swept];
      while (last.more) {
        last = await whole.sweep(moment, free);
        all = { ...last, expired: [...all.expired, ...last.expired], returned: [...all.returned, ...last.returned] };
      }
      return all;
    },
  }),
  sweeping('never-more-to-sweep', () => ({ more: false })),
  sweeping('always-more-to-sweep', ({ expired }) => ({ more: expired.length > 0 })),
  priority.around('evicts-before-it-expires', {
    sweep: async ({ whole, index, given }) => {
      const over = index.totals.transactions - index.limits.maxTxs;
      const evicted = await leave(whole, [...index.order].slice(over > 0 ? -over : index.order.length), 'evicted');
      const swept = await whole.sweep(...given);
      return { ...swept, evicted: [...evicted.reverse(), ...swept.evicted] };
    },
  }),
  priority.around('expires-before-leases-end', {
    sweep: async ({ whole, index, given }) => {
      const held = [...index.ages.leased];
      for (const node of held) index.move(node, node.stage, { ...node.entry, claim: null });
      const swept = await whole.sweep(...given);
      const hashes = held.map(({ hash }) => hash);
      return { ...swept, returned: await whole.move('release', hashes, free) };
    },
  }),
  unread('own-heights-not-looked-at-beside-ttl-ms', 'ttlMs', 'expiringHeight'),
  unread('heights-not-looked-at-beside-ttl-ms', 'ttlMs', 'admittedHeight'),
  unread('own-times-not-looked-at-beside-ttl-ms', 'ttlMs', 'expiring'),
  unread('times-not-looked-at-beside-ttl-blocks', 'ttlBlocks', 'admitted'),
  sweeping('a-thousand-is-always-more', ({ returned, expired, evicted, more }) => ({
    more: more || returned.length + expired.length + evicted.length === 1_000,
  })),
  leasing('leases-never-end', () => []),
  leasing('leases-end-at-their-very-time', (held) =>
    held.flatMap(({ entry: { claim, ...entry }, ...node }) =>
      claim === null ? [] : { ...node, entry: { ...entry, claim: { ...claim, untilMs: claim.untilMs - 1 } } },
    ),
  ),
  sweeping('leases-end-by-seq', ({ returned }, index) => ({
    returned: returned.toSorted((a, b) => (index.node(a)?.seq ?? 0) - (index.node(b)?.seq ?? 0)),
  })),
  sweeping('marked-ones-returned-too', async ({ returned }, index, driver) => {
    const marked = flying(index).filter((hash) => returned.length > 0 && index.node(hash)?.entry.claim === null);
    return { returned: [...returned, ...(await driver.move('release', marked, free))] };
  }),
  priority.reason('expired-told-as-stale', ['sweep'], 'expired', 'stale'),
];

/** Another one leaves first when a sweep evicts. */
function evicting(id: string, lastOf: (order: PoolIndex['order']) => PoolIndex['order']['last']): Mutant {
  return priority.view(id, ['sweep'], ({ index }) => ({
    order: {
      *backwards() {
        const last = lastOf(index.order);
        if (last !== undefined) yield last;
      },
    } as unknown as PoolIndex['order'],
  }));
}

const optioned = (id: string, options: NonNullable<RankedFaults['options']>): Mutant =>
  priority.faults(id, { options });

/** P6: limits as they are kept, and what is over them. */
export const limitMutants: readonly Mutant[] = [
  priority.limits('sweep-evicts-as-many-as-a-newcomer', ['sweep'], ({ maxTxs, maxEvictions }) => ({
    maxTxs: maxEvictions < 100 ? maxTxs + maxEvictions : maxTxs,
  })),
  priority.limits('sweep-leaves-one-over', ['sweep'], ({ maxTxs }) => ({ maxTxs: maxTxs + 1 })),
  priority.limits('sweep-evicts-one-more', ['sweep'], ({ maxTxs }) => ({ maxTxs: maxTxs - 1 })),
  priority.limits('sweep-counts-transactions-alone', ['sweep'], () => ({ maxBytes: endless })),
  priority.limits('sweep-frees-some-bytes-more', ['sweep'], ({ maxBytes }) => ({ maxBytes: maxBytes - 10 })),
  priority.limits('sweep-evicts-nothing-without-eviction', ['sweep'], ({ maxTxs, eviction }) => ({
    maxTxs: eviction === 'none' ? endless : maxTxs,
  })),
  evicting('sweep-evicts-from-the-front', (order) => order.first),
  evicting(
    'sweep-evicts-the-ready-first',
    (order) => [...order].filter(({ place }) => place.ready).at(-1) ?? order.last,
  ),
  priority.told('sweep-evicts-in-flight-too', {
    sweep: async ({ evicted }, { whole, index }) => {
      const over = Math.max(0, index.totals.transactions - index.limits.maxTxs);
      return { evicted: [...evicted, ...(await whole.drop(flying(index).slice(0, over), 'evicted', free))] };
    },
  }),
  priority.around('set-limits-set-numbers-alone', {
    setLimits: ({ whole, given: [limits, context] }) =>
      whole.setLimits(Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== endless)), context),
  }),
  optioned('another-default', (options) => ({ ...options, limits: { maxParked: 1_000, ...options.limits } })),
  optioned('log-as-long-as-the-pool', ({ retention, ...options }) => ({
    ...options,
    retention: options.limits.maxTxs === 1 ? { maxFinalized: 1, ...retention } : retention,
  })),
];
