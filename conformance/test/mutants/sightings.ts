import { answered, decided, type Mutant, told, withEvents } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

const free = { signal: undefined, operationId: undefined };

function stageOf(pool: PlantedDriver, hash: string): string {
  return pool.life(hash)?.stage ?? 'Unknown';
}

/** L13. */
export const sightingMutants: readonly Mutant[] = [
  told('sightings-ignored', () => () => ({ sighting: () => null })),
  told('sightings-one-block-short', (pool) => () => ({
    sighting: (hash) => {
      const seen = pool.sighting(hash);
      return seen !== null && seen > pool.currentTip.tick - 5 ? seen : null;
    },
  })),
  told('sightings-of-the-last-six-blocks', (pool, { thresholds }) => () => ({
    sighting: (hash) => {
      const seen = pool.sighting(hash);
      return seen !== null && seen > pool.currentTip.tick - Math.min(6, thresholds.finalizeThreshold) ? seen : null;
    },
  })),
  told('sightings-count-for-ever', (pool) => () => ({
    sighting: (hash) => (pool.sighting(hash) === null ? null : pool.currentTip.tick),
  })),
  answered('sightings-by-the-default-threshold', (pool) => ({
    receive: (transactions, context) => {
      const { sighting } = pool;
      pool.tell = () => ({
        sighting: (hash) => {
          const seen = sighting.call(pool, hash);
          return seen !== null && seen > pool.currentTip.tick - 6 ? pool.currentTip.tick : null;
        },
      });
      return pool.receive(transactions, context);
    },
  })),
  answered('sightings-of-blocks-not-kept', (pool) => {
    const blocks: (readonly [tick: number, seen: readonly string[]])[] = [];
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        blocks.push([outcome.tip.tick, block.seen]);
        const first = (hash: string) => blocks.find(([tick, seen]) => tick >= pool.floor && seen.includes(hash))?.[0];
        pool.tell = () => ({ sighting: (hash) => pool.sighting(hash) ?? first(hash) ?? null });
        return outcome;
      },
    };
  }),
  decided('carried-again-is-not-noted', () => {
    const carried = new Set<string>();
    return (step) => {
      if (step.chain?.kind !== 'applied') return step;
      const seen = step.chain.seen.filter((hash) => !carried.has(hash));
      for (const hash of seen) carried.add(hash);
      return { ...step, chain: { ...step.chain, seen } };
    };
  }),
  answered('last-sighting-wins', (pool) => {
    const last = new Map<string, number>();
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        for (const hash of block.seen) last.set(hash, outcome.tip.tick);
        pool.tell = () => ({ sighting: (hash) => (pool.sighting(hash) === null ? null : (last.get(hash) ?? null)) });
        return outcome;
      },
    };
  }),
  decided(
    'unseen-keeps-the-sighting',
    () => (step) => (step.chain?.kind === 'applied' ? { ...step, chain: { ...step.chain, unseen: [] } } : step),
  ),
  decided('unseen-bars-the-hash', () => {
    const barred = new Set<string>();
    return (step) => {
      if (step.chain?.kind !== 'applied') return step;
      for (const hash of step.chain.unseen) barred.add(hash);
      return { ...step, chain: { ...step.chain, seen: step.chain.seen.filter((hash) => !barred.has(hash)) } };
    };
  }),
  answered('rollback-keeps-sightings', (pool) => {
    const seen = new Map<string, number>();
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        for (const hash of block.seen) seen.set(hash, outcome.tip.tick);
        return outcome;
      },
      rollback: (point, context) => {
        const outcome = pool.rollback(point, context);
        pool.tell = () => ({ sighting: (hash) => (seen.has(hash) ? pool.currentTip.tick : null) });
        return outcome;
      },
    };
  }),
  answered('rollback-forgets-all-sightings', (pool) => ({
    rollback: (point, context) => {
      const outcome = pool.rollback(point, context);
      pool.tell = (verb) => (verb === 'receive' ? { sighting: () => null } : {});
      return outcome;
    },
  })),
  answered('received-as-finalized', (pool, { thresholds }) => ({
    checkStatus: (hashes) =>
      pool.checkStatus(hashes).map((status) => {
        const due = status.stage === 'Confirmed' && status.confirmations >= thresholds.finalizeThreshold;
        return due ? { ...status, stage: 'Finalized' } : status;
      }),
  })),
  answered('outcome-says-pending', (pool) => ({
    receive: (transactions, context) =>
      pool
        .receive(transactions, context)
        .map((outcome) => (outcome.kind === 'received' ? { ...outcome, stage: 'Pending' } : outcome)),
  })),
  decided(
    'late-arrival-announced-as-pending',
    () => (step, verb) => withEvents(step, (event) => (verb === 'receive' ? { ...event, stage: 'Pending' } : event)),
  ),
  answered('late-arrival-waits', (pool) => ({
    peekPending: (after, limit) => [
      ...pool.peekPending(after, limit),
      ...pool.peekInflight(after, limit).filter(({ hash }) => pool.sighting(hash) !== null),
    ],
    usage: () => {
      const usage = pool.usage();
      return { ...usage, pending: usage.pending + usage.confirmed };
    },
  })),
  answered('only-unknown-hashes-sighted', (pool) => ({
    confirm: (block, context) => {
      const known = new Set(block.seen.filter((hash) => pool.life(hash) !== null));
      pool.decide = (step) =>
        step.chain?.kind === 'applied'
          ? { ...step, chain: { ...step.chain, seen: step.chain.seen.filter((hash) => !known.has(hash)) } }
          : step;
      return pool.confirm(block, context);
    },
  })),
  answered('first-of-a-batch-decides', (pool) => ({
    receive: (transactions, context) => {
      const first = pool.sighting(transactions[0]?.hash ?? '');
      pool.tell = () => ({ sighting: () => first });
      return pool.receive(transactions, context);
    },
  })),
  answered('late-arrival-not-undone', (pool) => {
    const late = new Set<string>();
    return {
      receive: (transactions, context) => {
        const outcomes = pool.receive(transactions, context);
        for (const outcome of outcomes)
          if (outcome.kind === 'received' && outcome.stage === 'Confirmed') late.add(outcome.hash);
        return outcomes;
      },
      rollback: (point, context) => {
        pool.tell = () => ({
          confirmedAfter: (tick) => pool.confirmedAfter(tick).filter(({ hash }) => !late.has(hash)),
        });
        return pool.rollback(point, context);
      },
    };
  }),
  answered('sighted-hash-counted', (pool) => ({
    confirm: (block, context) => {
      const outcome = pool.confirm(block, context);
      pool.drop([], 'none', free);
      return outcome.kind === 'applied'
        ? {
            ...outcome,
            returned: outcome.returned + block.unseen.filter((hash) => stageOf(pool, hash) === 'Unknown').length,
          }
        : outcome;
    },
  })),
];
