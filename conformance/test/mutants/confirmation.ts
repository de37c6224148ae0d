import type { CheckedBlock, ConfirmOutcome, Counters, Life, Policy, Thresholds } from 'mempool-core';
import { answered, decided, handed, type Mutant, opened } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

/** Changes each block before the rules see it. */
function blocks(id: string, alter: (block: CheckedBlock, pool: PlantedDriver) => CheckedBlock): Mutant {
  return answered(id, (pool) => ({ confirm: (block, context) => pool.confirm(alter(block, pool), context) }));
}

function thresholds(id: string, alter: (given: Thresholds) => Partial<Thresholds>): Mutant {
  return blocks(id, (block) => ({ ...block, thresholds: { ...block.thresholds, ...alter(block.thresholds) } }));
}

/** Changes what an applied block answers. */
function counts(
  id: string,
  alter: (outcome: Applied, block: CheckedBlock, pool: PlantedDriver) => Partial<Applied>,
): Mutant {
  return answered(id, (pool) => ({
    confirm: (block, context) => {
      const outcome = pool.confirm(block, context);
      return outcome.kind === 'applied' ? { ...outcome, ...alter(outcome, block, pool) } : outcome;
    },
  }));
}

type Applied = Extract<ConfirmOutcome, { kind: 'applied' }>;
type Told = Counters & { readonly stage: string; readonly hash: string };

/** Changes the counters that checkStatus tells. */
function counting(id: string, alter: (told: Told, pool: PlantedDriver) => Partial<Counters>): Mutant {
  return answered(id, (pool) => ({
    checkStatus: (hashes) => pool.checkStatus(hashes).map((status) => ({ ...status, ...alter(status, pool) })),
  }));
}

/** Changes what is written of a transaction that was Confirmed and that the block names again. */
function seenAgain(id: string, alter: (life: Life, tick: number) => Life): Mutant {
  return answered(id, (pool) => ({
    confirm: (block, context) => {
      const before = block.seen.map((hash) => pool.life(hash)).filter((life) => life?.stage === 'Confirmed');
      const outcome = pool.confirm(block, context);
      if (outcome.kind !== 'applied') return outcome;
      const writes = before.flatMap((life) => {
        const after = life && pool.life(life.hash)?.stage === 'Confirmed' ? alter(life, outcome.tip.tick) : null;
        return after === null
          ? []
          : [{ after, point: after === life ? block.point : pool.confirmedAt(after.hash), body: null }];
      });
      pool.apply({ outcome, writes, events: [], chain: null, operation: null });
      return outcome;
    },
  }));
}

function withoutPolicy(id: string, alter: (policy: Policy) => Policy): Mutant {
  return handed(id, (store) => ({
    confirm: (block, policy = {}, options = {}) => store.confirm(block, alter(policy), options),
  }));
}

/** L5 and L12. */
export const confirmationMutants: readonly Mutant[] = [
  counting('confirmations-from-zero', ({ stage, confirmations }) => ({
    confirmations: stage === 'Confirmed' ? confirmations - 1 : confirmations,
  })),
  counting('no-depth', ({ stage, confirmations }) => ({
    confirmations: stage === 'Confirmed' ? 1 : confirmations,
  })),
  seenAgain('seen-again-counts-twice', (life) => ({ ...life, tick: life.tick - 1 })),
  seenAgain('seen-again-starts-anew', (life, tick) => ({ ...life, tick })),
  seenAgain('confirmed-at-the-last-block', (life) => life),
  answered('confirmed-at-is-the-tip', (pool) => ({
    checkStatus: (hashes) =>
      pool.checkStatus(hashes).map((status) => ({
        ...status,
        confirmedAt: status.confirmedAt && pool.currentTip.point,
      })),
  })),
  handed('unseen-wins', (store) => ({
    confirm: ({ seen, unseen, ...block }, policy, options) => {
      const given = new Set(unseen);
      return store.confirm({ ...block, seen: seen.filter((hash) => !given.has(hash)), unseen }, policy, options);
    },
  })),
  decided('first-block-remembered-after-a-return', () => {
    const first = new Map<string, number>();
    return (step) => {
      const writes = step.writes.map((write) => {
        if (write.after.stage !== 'Confirmed') return write;
        const tick = first.get(write.after.hash) ?? write.after.tick;
        first.set(write.after.hash, tick);
        return { ...write, after: { ...write.after, tick } };
      });
      return { ...step, writes };
    };
  }),
  answered('waiting-grows-stale', (pool) => ({
    confirm: (block, context) => {
      const waiting = pool.peekPending(0, 1_000).map(({ hash }) => hash);
      const outcome = pool.confirm(block, context);
      if (outcome.tip.tick > 4) pool.drop(waiting, 'stale', { signal: undefined, operationId: undefined });
      return outcome;
    },
  })),
  counting('waiting-has-an-age', ({ stage, nonConfirmations }, pool) => ({
    nonConfirmations: stage === 'Pending' ? pool.currentTip.tick : nonConfirmations,
  })),
  counting('acknowledged-has-no-age', ({ stage, nonConfirmations }) => ({
    nonConfirmations: stage === 'Acknowledged' ? 0 : nonConfirmations,
  })),
  answered('confirmation-keeps-the-age', (pool) => {
    const ages = new Map<string, number>();
    return {
      confirm: (block, context) => {
        for (const { hash, nonConfirmations } of pool.checkStatus(block.seen)) ages.set(hash, nonConfirmations);
        return pool.confirm(block, context);
      },
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => ({
          ...status,
          nonConfirmations: status.nonConfirmations + (status.stage === 'Confirmed' ? (ages.get(status.hash) ?? 0) : 0),
        })),
    };
  }),
  counts('returned-not-counted', () => ({ returned: 0 })),
  counts('finalized-counted-as-nothing', () => ({ finalized: 0 })),
  counts('dropped-counted-as-finalized', ({ finalized, dropped }) => ({
    finalized: finalized + dropped,
    dropped: 0,
  })),
  counts('jumps-counted-once', ({ confirmed, finalized }) => ({ confirmed: Math.max(0, confirmed - finalized) })),
  counts('seen-counted-by-the-list', (_, { seen }) => ({ confirmed: seen.length })),
  counts('depth-counted-as-confirmed', ({ confirmed }, { seen }, pool) => {
    const again = pool.checkStatus(seen).filter((status) => status.stage === 'Confirmed' && status.confirmations > 1);
    return { confirmed: confirmed + again.length };
  }),
  handed('repeats-in-a-list-counted', (store) => ({
    confirm: async (block, policy, options) => {
      const outcome = await store.confirm(block, policy, options);
      const repeats = block.seen.length - new Set(block.seen).size;
      return outcome.kind === 'applied' ? { ...outcome, confirmed: outcome.confirmed + repeats } : outcome;
    },
  })),
  answered('foreign-hash-becomes-confirmed', (pool) => ({
    checkStatus: (hashes) =>
      pool
        .checkStatus(hashes)
        .map((status) =>
          pool.sighting(status.hash) !== null && status.stage === 'Unknown'
            ? { ...status, stage: 'Confirmed' }
            : status,
        ),
  })),
  answered('received-joins-the-last-block', (pool) => ({
    receive: (transactions, context) => {
      const outcomes = pool.receive(transactions, context);
      const { tick, point } = pool.currentTip;
      const lives = outcomes.map(({ hash }) => pool.life(hash)).filter((life) => life?.stage === 'Pending');
      const writes = lives.flatMap((life) =>
        life && tick > 2 ? [{ after: { ...life, stage: 'Confirmed' as const, tick }, point, body: null }] : [],
      );
      pool.apply({ outcome: null, writes, events: [], chain: null, operation: null });
      return outcomes;
    },
  })),
  answered('old-points-forgotten-by-status', (pool) => ({
    checkStatus: (hashes) =>
      pool.checkStatus(hashes).map((status) => ({
        ...status,
        confirmedAt: (pool.life(status.hash)?.tick ?? 0) < pool.floor ? null : status.confirmedAt,
      })),
  })),
  answered('old-points-forgotten-by-the-log', (pool) => ({
    dumpFinalized: (cursor, limit) => {
      const page = pool.dumpFinalized(cursor, limit);
      const kept = (hash: string) => (pool.life(hash)?.tick ?? 0) >= pool.floor;
      return {
        ...page,
        entries: page.entries.map((entry) => ({ ...entry, point: kept(entry.hash) ? entry.point : null })),
      };
    },
  })),
];

/** L6. */
export const thresholdMutants: readonly Mutant[] = [
  thresholds('finalizes-one-block-late', ({ finalizeThreshold }) => ({ finalizeThreshold: finalizeThreshold + 1 })),
  thresholds('finalizes-one-block-early', ({ finalizeThreshold }) => ({
    finalizeThreshold: finalizeThreshold - 1,
  })),
  thresholds('drops-one-block-late', ({ dropThreshold }) => ({ dropThreshold: dropThreshold + 1 })),
  thresholds('drops-one-block-early', ({ dropThreshold }) => ({ dropThreshold: dropThreshold - 1 })),
  thresholds('never-means-ten-confirmations', ({ finalizeThreshold }) => ({
    finalizeThreshold: Math.min(10, finalizeThreshold),
  })),
  thresholds('never-means-ten-blocks', ({ dropThreshold }) => ({ dropThreshold: Math.min(10, dropThreshold) })),
  withoutPolicy('policy-ignored', () => ({})),
  withoutPolicy('finalize-policy-ignored', ({ finalizeThreshold: _, ...policy }) => policy),
  withoutPolicy('drop-policy-ignored', ({ dropThreshold: _, ...policy }) => policy),
  withoutPolicy('policy-completed-by-the-defaults', (policy) =>
    Object.keys(policy).length === 0 ? policy : { finalizeThreshold: 6, dropThreshold: 2, ...policy },
  ),
  handed('policy-sticks', (store) => {
    let last: Policy = {};
    return {
      confirm: (block, policy = {}, options = {}) => {
        last = { ...last, ...policy };
        return store.confirm(block, last, options);
      },
    };
  }),
  withoutPolicy('below-one-means-never', (policy) => ({
    ...policy,
    ...((policy.finalizeThreshold ?? 1) < 1 && { finalizeThreshold: Number.POSITIVE_INFINITY }),
    ...((policy.dropThreshold ?? 1) < 1 && { dropThreshold: Number.POSITIVE_INFINITY }),
  })),
  opened('below-one-of-open-means-one', ({ finalizeThreshold = 6, dropThreshold = 2, ...options }) => ({
    ...options,
    finalizeThreshold: Math.max(1, finalizeThreshold),
    dropThreshold: Math.max(1, dropThreshold),
  })),
  opened('thresholds-of-open-ignored', ({ finalizeThreshold: _, dropThreshold: __, ...options }) => options),
  decided('stale-by-another-name', () => (step, verb) => ({
    ...step,
    writes: step.writes.map((write) =>
      verb === 'confirm' && write.after.reason !== null
        ? { ...write, after: { ...write.after, reason: 'expired' } }
        : write,
    ),
  })),
  blocks('dropped-before-seen', (block, pool) => {
    const { dropThreshold } = block.thresholds;
    const old = (hash: string) => {
      const [status] = pool.checkStatus([hash]);
      return status !== undefined && status.nonConfirmations + 1 >= dropThreshold && status.stage === 'Propagated';
    };
    return { ...block, seen: block.seen.filter((hash) => !old(hash)) };
  }),
  blocks('final-before-unseen', (block, pool) => {
    const { finalizeThreshold, dropThreshold } = block.thresholds;
    const due = (hash: string) => {
      const [status] = pool.checkStatus([hash]);
      const { confirmations = 0, nonConfirmations = 0 } = status ?? {};
      return (confirmations > 0 && confirmations + 1 >= finalizeThreshold) || nonConfirmations + 1 >= dropThreshold;
    };
    return { ...block, unseen: block.unseen.filter((hash) => !due(hash)) };
  }),
  answered('return-keeps-the-counters', (pool) => {
    const counters = new Map<string, Counters>();
    return {
      confirm: (block, context) => {
        for (const { hash, confirmations, nonConfirmations } of pool.checkStatus(block.unseen))
          counters.set(hash, { confirmations, nonConfirmations });
        return pool.confirm(block, context);
      },
      checkStatus: (hashes) =>
        pool
          .checkStatus(hashes)
          .map((status) => (status.stage === 'Pending' ? { ...status, ...counters.get(status.hash) } : status)),
    };
  }),
  counting('finalized-goes-on-growing', ({ hash, stage, confirmations }, pool) => ({
    confirmations: stage === 'Finalized' ? pool.currentTip.tick - (pool.life(hash)?.tick ?? 0) + 1 : confirmations,
  })),
];
