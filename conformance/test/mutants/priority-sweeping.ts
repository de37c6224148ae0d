import type { Sweep } from 'mempool-core';
import type { CheckedMoment, PoolIndex, PoolNode, PriorityPool, WriteContext } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { limiting, type RankedDriver, ranked, ranking, seeing, settling } from './priority-pool.ts';
import { byCallersClock } from './priority-taking.ts';

/** A fault in the moment that a sweep is made at. */
function sweptAt(id: string, change: (moment: CheckedMoment) => Partial<CheckedMoment>): Mutant {
  return ranking(id, (driver) => ({
    sweep: (moment, context) => driver.sweep({ ...moment, ...change(moment) }, context),
  }));
}

/** More is done after a sweep, and told or not. */
export function sweeping(
  id: string,
  more: (
    swept: Sweep,
    driver: RankedDriver,
    pool: PriorityPool,
    given: readonly [CheckedMoment, WriteContext],
  ) => Promise<Sweep> | Sweep,
): Mutant {
  return ranking(id, (driver, pool) => ({
    sweep: async (moment, context) =>
      more(await driver.sweep(moment, context), driver, pool, [moment, { ...context, operationId: undefined }]),
  }));
}

type Lists = PoolIndex['ages'];
type ListName = 'leased' | 'expiring' | 'expiringHeight' | 'admitted' | 'admittedHeight';

/** Other lists of who waits how long. */
function lentLists(
  index: PoolIndex,
  change: (name: ListName, nodes: readonly PoolNode[]) => PoolNode[],
): Partial<PoolIndex> {
  const list = (name: ListName) => ({ list: change(name, [...index.ages[name].list]) });
  const names = ['leased', 'expiring', 'expiringHeight', 'admitted', 'admittedHeight'] as const;
  return { ages: Object.fromEntries(names.map((name) => [name, list(name)])) as unknown as Lists };
}

/** Some of those who wait are not asked how old they are. */
function ageless(id: string, isAsked: (node: PoolNode) => boolean): Mutant {
  return seeing(id, ['sweep'], ({ index }) =>
    lentLists(index, (name, nodes) => (name === 'leased' ? [...nodes] : nodes.filter(isAsked))),
  );
}

/** Some lists are not looked at where a limit is set. */
function unread(id: string, limit: 'ttlMs' | 'ttlBlocks', names: readonly ListName[]): Mutant {
  return seeing(id, ['sweep'], ({ index }) =>
    Number.isFinite(index.limits[limit])
      ? lentLists(index, (name, nodes) => (names.includes(name) ? [] : [...nodes]))
      : {},
  );
}

/** Other leases than there are. */
function leasing(id: string, change: (held: readonly PoolNode[]) => PoolNode[]): Mutant {
  return seeing(id, ['sweep'], ({ index }) =>
    lentLists(index, (name, nodes) => (name === 'leased' ? change(nodes) : [...nodes])),
  );
}

export const flying = (index: PoolIndex): string[] =>
  [...index.nodes()].filter(({ stage }) => stage === 'Propagated' || stage === 'Acknowledged').map(({ hash }) => hash);

export const endless = Number.POSITIVE_INFINITY;

/** P9. */
export const sweepingMutants: readonly Mutant[] = [
  byCallersClock('sweep-by-a-callers-clock', 'sweep'),
  byCallersClock('admission-by-a-callers-clock', 'admit'),
  sweptAt('expired-at-its-very-time', ({ now }) => ({ now: now === null ? null : now + 1 })),
  sweptAt('expired-at-its-very-height', ({ height }) => ({ height: height === null ? null : height + 1 })),
  sweptAt('swept-at-the-pools-time-alone', () => ({ now: null })),
  sweptAt('swept-at-height-nought', ({ height }) => ({ height: height ?? 0 })),
  limiting('never-too-old', ['sweep'], () => ({ ttlMs: endless })),
  limiting('never-too-many-blocks', ['sweep'], () => ({ ttlBlocks: endless })),
  limiting('a-millisecond-younger', ['sweep'], ({ ttlMs }) => ({ ttlMs: ttlMs - 1 })),
  limiting('a-block-younger', ['sweep'], ({ ttlBlocks }) => ({ ttlBlocks: ttlBlocks - 1 })),
  limiting('a-block-older', ['sweep'], ({ ttlBlocks }) => ({ ttlBlocks: ttlBlocks + 1 })),
  ranked('time-stands-without-blocks', {
    see: ({ verb, index, ledger }) =>
      verb === 'sweep' && ledger.currentTip.tick === 0 ? { limits: { ...index.limits, ttlMs: endless } } : {},
  }),
  ranking('expires-by-a-block', (driver) => ({
    confirm: async (block, context) => {
      const outcome = await driver.confirm(block, context);
      await driver.sweep({ now: null, height: null }, { ...context, operationId: undefined });
      return outcome;
    },
  })),
  ranking('expires-by-an-arrival', (driver) => ({
    admit: async (submissions, moment, context) => {
      await driver.sweep({ now: null, height: null }, { ...context, operationId: undefined });
      return driver.admit(submissions, moment, context);
    },
  })),
  sweeping('expires-in-flight', async (swept, driver, { index }, [, context]) => {
    const old = flying(index).filter((hash) => (index.node(hash)?.entry.verdict.expiresAt ?? endless) < endless);
    return { ...swept, expired: [...swept.expired, ...(await driver.drop(old, 'expired', context))] };
  }),
  seeing('younger-after-a-return', ['confirm', 'rollback', 'move'], ({ index }) => ({
    move: (node, stage, entry = node.entry) =>
      index.move(node, stage, stage === 'Pending' ? { ...entry, admittedAt: entry.admittedAt + 90 } : entry),
  })),
  ageless('parked-ones-never-expire', ({ place }) => place?.ready === true),
  ageless('ready-ones-never-expire', ({ place }) => place?.ready === false),
  sweeping('expired-told-by-their-time', (swept, _, { index }) => {
    const time = (hash: string): number => index.node(hash)?.entry.verdict.expiresAt ?? endless;
    return { ...swept, expired: [...swept.expired].sort((a, b) => (time(a) < time(b) ? -1 : 1)) };
  }),
  settling('swept-told-backwards', ['sweep'], (step) => {
    const first = step.events[0]?.eventSeq ?? 0;
    return { ...step, events: [...step.events].reverse().map((event, i) => ({ ...event, eventSeq: first + i })) };
  }),
  ranked('time-to-live-of-the-open', {
    answer: (driver, { index }, { limits }) => ({
      sweep: async (moment, context) => {
        const { ttlMs } = index.limits;
        index.limits = { ...index.limits, ttlMs: limits.ttlMs ?? endless };
        const swept = await driver.sweep(moment, context);
        index.limits = { ...index.limits, ttlMs };
        return swept;
      },
    }),
  }),
  sweeping('children-expire-with-their-parent', async (swept, driver, { index }, [, context]) => {
    const tags = swept.expired.flatMap((hash) => index.node(hash)?.entry.verdict.provides ?? []);
    const children = tags.flatMap((tag) => [...index.dependents.of(tag)]).map(({ hash }) => hash);
    const expired = await driver.drop(children, 'expired', context);
    return { ...swept, expired: [...swept.expired, ...expired] };
  }),
  seeing('returned-ones-never-expire', ['sweep'], ({ index }) => ({
    move: (node, stage, entry = node.entry) =>
      index.move(node, stage, stage === 'Pending' ? { ...entry, admittedAt: Number.MAX_SAFE_INTEGER } : entry),
  })),
  sweeping('sweeps-all-at-once', async (swept, driver, _, [moment, context]) => {
    let [all, last] = [swept, swept];
    while (last.more) {
      last = await driver.sweep(moment, context);
      all = { ...last, expired: [...all.expired, ...last.expired], returned: [...all.returned, ...last.returned] };
    }
    return all;
  }),
  sweeping('never-more-to-sweep', (swept) => ({ ...swept, more: false })),
  sweeping('always-more-to-sweep', (swept) => ({ ...swept, more: swept.expired.length > 0 })),
  ranking('evicts-before-it-expires', (driver, { index }) => ({
    sweep: async (moment, context) => {
      const over = index.totals.transactions - index.limits.maxTxs;
      const last = Array.from(index.order, ({ hash }) => hash).slice(over > 0 ? -over : index.order.length);
      const evicted = await driver.drop(last, 'evicted', { ...context, operationId: undefined });
      const swept = await driver.sweep(moment, context);
      return { ...swept, evicted: [...evicted.reverse(), ...swept.evicted] };
    },
  })),
  ranking('expires-before-leases-end', (driver, { index }) => ({
    sweep: async (moment, context) => {
      const held = [...index.ages.leased.list];
      for (const node of held) index.move(node, node.stage, { ...node.entry, lease: null });
      const swept = await driver.sweep(moment, context);
      const returned = await driver.move(
        'release',
        held.map(({ hash }) => hash),
        { ...context, operationId: undefined },
      );
      return { ...swept, returned };
    },
  })),
  unread('own-heights-not-looked-at-beside-ttl-ms', 'ttlMs', ['expiringHeight']),
  unread('heights-not-looked-at-beside-ttl-ms', 'ttlMs', ['admittedHeight']),
  unread('own-times-not-looked-at-beside-ttl-ms', 'ttlMs', ['expiring']),
  unread('times-not-looked-at-beside-ttl-blocks', 'ttlBlocks', ['admitted']),
  sweeping('a-thousand-is-always-more', (swept) => {
    const moved = swept.returned.length + swept.expired.length + swept.evicted.length;
    return { ...swept, more: swept.more || moved === 1_000 };
  }),
  leasing('leases-never-end', () => []),
  leasing('leases-end-at-their-very-time', (held) =>
    held.flatMap((node) => {
      const { lease } = node.entry;
      return lease === null
        ? []
        : { ...node, entry: { ...node.entry, lease: { ...lease, untilMs: lease.untilMs - 1 } } };
    }),
  ),
  sweeping('leases-end-by-seq', (swept, _, { index }) => ({
    ...swept,
    returned: [...swept.returned].sort((a, b) => (index.node(a)?.seq ?? 0) - (index.node(b)?.seq ?? 0)),
  })),
  sweeping('marked-ones-returned-too', async (swept, driver, { index }, [, context]) => {
    const marked =
      swept.returned.length === 0 ? [] : flying(index).filter((hash) => index.node(hash)?.entry.lease === null);
    return { ...swept, returned: [...swept.returned, ...(await driver.move('release', marked, context))] };
  }),
  ranking('sweeping-leaves-a-trace', (driver, { index }) => ({
    sweep: async (moment, context) => {
      index.lastGossipSeq += 1;
      return driver.sweep(moment, context);
    },
  })),
  settling('expired-told-as-stale', ['sweep'], (step) => ({
    ...step,
    writes: step.writes.map(({ after, ...rest }) => ({
      ...rest,
      after: after.reason === 'expired' ? { ...after, reason: 'stale' } : after,
    })),
  })),
];
