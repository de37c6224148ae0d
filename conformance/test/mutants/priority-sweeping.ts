import type { Sweep } from 'mempool-core';
import type { CheckedMoment, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { priority, type RankedDriver } from './priority-pool.ts';
import { byCallersClock } from './priority-taking.ts';

/** A fault in the moment that a sweep is made at. */
function sweptAt(id: string, change: (moment: CheckedMoment) => Partial<CheckedMoment>): Mutant {
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
const names = ['leased', 'expiring', 'expiringHeight', 'admitted', 'admittedHeight'] as const;
type ListName = (typeof names)[number];

/** Other lists of who waits how long. */
function listing(
  id: string,
  change: (name: ListName, nodes: PoolNode[], index: PoolIndex) => readonly PoolNode[],
): Mutant {
  return priority.view(id, ['sweep'], ({ index }) => {
    const list = (name: ListName) => [name, { list: change(name, [...index.ages[name].list], index) }];
    return { ages: Object.fromEntries(names.map(list)) as unknown as Lists };
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

/** Other leases than there are. */
function leasing(id: string, change: (held: readonly PoolNode[]) => PoolNode[]): Mutant {
  return listing(id, (name, nodes) => (name === 'leased' ? change(nodes) : nodes));
}

export const flying = (index: PoolIndex): string[] =>
  [...index.nodes()].filter(({ stage }) => stage === 'Propagated' || stage === 'Acknowledged').map(({ hash }) => hash);

export const endless = Number.POSITIVE_INFINITY;
/** The pool's own time. */
export const now: CheckedMoment = { now: null, height: null };

/** P9. */
export const sweepingMutants: readonly Mutant[] = [
  byCallersClock('sweep-by-a-callers-clock', 'sweep'),
  byCallersClock('admission-by-a-callers-clock', 'admit'),
  sweptAt('expired-at-its-very-time', ({ now }) => ({ now: now === null ? null : now + 1 })),
  sweptAt('expired-at-its-very-height', ({ height }) => ({ height: height === null ? null : height + 1 })),
  sweptAt('swept-at-the-pools-time-alone', () => ({ now: null })),
  sweptAt('swept-at-height-nought', ({ height }) => ({ height: height ?? 0 })),
  priority.limits('never-too-old', ['sweep'], () => ({ ttlMs: endless })),
  priority.limits('never-too-many-blocks', ['sweep'], () => ({ ttlBlocks: endless })),
  priority.limits('a-millisecond-younger', ['sweep'], ({ ttlMs }) => ({ ttlMs: ttlMs - 1 })),
  priority.limits('a-block-younger', ['sweep'], ({ ttlBlocks }) => ({ ttlBlocks: ttlBlocks - 1 })),
  priority.limits('a-block-older', ['sweep'], ({ ttlBlocks }) => ({ ttlBlocks: ttlBlocks + 1 })),
  priority.limits('time-stands-without-blocks', ['sweep'], (_, { ledger }) =>
    ledger.currentTip.tick === 0 ? { ttlMs: endless } : {},
  ),
  priority.told('expires-by-a-block', { confirm: async (_, { whole }) => void (await whole.sweep(now, free)) }),
  priority.given('expires-by-an-arrival', { admit: async (_, { whole }) => void (await whole.sweep(now, free)) }),
  sweeping('expires-in-flight', async ({ expired }, index, driver) => {
    const old = flying(index).filter((hash) => (index.node(hash)?.entry.verdict.expiresAt ?? endless) < endless);
    return { expired: [...expired, ...(await driver.drop(old, 'expired', free))] };
  }),
  priority.moves(
    'younger-after-a-return',
    ['confirm', 'rollback', 'move'],
    ({ admittedAt }, stage) => stage === 'Pending' && { admittedAt: admittedAt + 90 },
  ),
  ageless('parked-ones-never-expire', ({ place }) => place?.ready === true),
  ageless('ready-ones-never-expire', ({ place }) => place?.ready === false),
  sweeping('expired-told-by-their-time', ({ expired }, index) => {
    const time = (hash: string): number => index.node(hash)?.entry.verdict.expiresAt ?? endless;
    return { expired: expired.toSorted((a, b) => (time(a) < time(b) ? -1 : 1)) };
  }),
  priority.ordered('swept-told-backwards', ['sweep'], (events) => events.reverse()),
  priority.around('time-to-live-of-the-open', {
    sweep: async ({ whole, index, given, options: { limits } }) => {
      const { ttlMs } = index.limits;
      index.limits = { ...index.limits, ttlMs: limits.ttlMs ?? endless };
      const swept = await whole.sweep(...given);
      index.limits = { ...index.limits, ttlMs };
      return swept;
    },
  }),
  sweeping('children-expire-with-their-parent', async ({ expired }, index, driver) => {
    const tags = expired.flatMap((hash) => index.node(hash)?.entry.verdict.provides ?? []);
    const children = tags.flatMap((tag) => [...index.dependents.of(tag)]).map(({ hash }) => hash);
    return { expired: [...expired, ...(await driver.drop(children, 'expired', free))] };
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
      const last = Array.from(index.order, ({ hash }) => hash).slice(over > 0 ? -over : index.order.length);
      const evicted = await whole.drop(last, 'evicted', free);
      const swept = await whole.sweep(...given);
      return { ...swept, evicted: [...evicted.reverse(), ...swept.evicted] };
    },
  }),
  priority.around('expires-before-leases-end', {
    sweep: async ({ whole, index, given }) => {
      const held = [...index.ages.leased.list];
      for (const node of held) index.move(node, node.stage, { ...node.entry, lease: null });
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
    held.flatMap(({ entry: { lease, ...entry }, ...node }) =>
      lease === null ? [] : { ...node, entry: { ...entry, lease: { ...lease, untilMs: lease.untilMs - 1 } } },
    ),
  ),
  sweeping('leases-end-by-seq', ({ returned }, index) => ({
    returned: returned.toSorted((a, b) => (index.node(a)?.seq ?? 0) - (index.node(b)?.seq ?? 0)),
  })),
  sweeping('marked-ones-returned-too', async ({ returned }, index, driver) => {
    const marked = flying(index).filter((hash) => returned.length > 0 && index.node(hash)?.entry.lease === null);
    return { returned: [...returned, ...(await driver.move('release', marked, free))] };
  }),
  priority.given('sweeping-leaves-a-trace', {
    sweep: (_, { index }) => {
      index.lastGossipSeq += 1;
    },
  }),
  priority.reason('expired-told-as-stale', ['sweep'], 'expired', 'stale'),
];
