import type { ConfirmOutcome, Policy, Thresholds, TransactionStatus } from 'mempool-core';
import type { CheckedBlock, TxState } from 'mempool-core/backend';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { priority } from './priority-operators.ts';
import { stores } from './store-operators.ts';

type Applied = Extract<ConfirmOutcome, { kind: 'applied' }>;

function thresholds(id: string, change: (given: Thresholds) => Partial<Thresholds>): Mutant {
  return fifo.blocks(id, (block) => ({ thresholds: { ...block.thresholds, ...change(block.thresholds) } }));
}

/** Changes what an applied block answers. */
function counts(
  id: string,
  change: (outcome: Applied, block: CheckedBlock, pool: PlantedDriver) => Partial<Applied>,
): Mutant {
  return fifo.told(id, {
    confirm: (told, { given: [block], pool }) => told.kind === 'applied' && change(told, block, pool),
  });
}

/** Changes the status that is told. */
function status(id: string, change: (told: TransactionStatus, pool: PlantedDriver) => object | false): Mutant {
  return fifo.each(id, { checkStatus: (told, { pool }) => change(told, pool) });
}

/** Changes what is written of a transaction that was Confirmed and that the block names again. */
function seenAgain(id: string, change: (txState: TxState, tick: number) => object, isMoved = false): Mutant {
  return fifo.around(id, {
    confirm: ({ pool, given: [block, context] }) => {
      const before = pool.txStates('Confirmed', block.seen);
      const outcome = pool.confirm(block, context);
      const again = before.filter(({ hash }) => outcome.kind === 'applied' && pool.stageOf(hash) === 'Confirmed');
      const txStates = again.map((txState) => ({ ...txState, ...change(txState, outcome.tip.tick) }));
      pool.force(txStates, ({ hash }) => (isMoved ? block.point : pool.confirmedAt(hash)));
      return outcome;
    },
  });
}

function policies(id: string, change: (policy: Policy) => Policy): Mutant {
  return stores.around(id, {
    confirm: ({ store, given: [block, policy = {}, options] }) => store.confirm(block, change(policy), options),
  });
}

/** L5 and L12. */
export const confirmationMutants: readonly Mutant[] = [
  status('confirmations-from-zero', (one) => one.stage === 'Confirmed' && { confirmations: one.confirmations - 1 }),
  status('no-depth', ({ stage }) => stage === 'Confirmed' && { confirmations: 1 }),
  seenAgain('seen-again-counts-twice', ({ tick }) => ({ tick: tick - 1 })),
  seenAgain('seen-again-starts-anew', (_, tick) => ({ tick })),
  seenAgain('confirmed-at-the-last-block', () => ({}), true),
  status('confirmed-at-is-the-tip', (one, pool) => one.confirmedAt !== null && { confirmedAt: pool.currentTip.point }),
  stores.given('unseen-wins', {
    confirm: ({ seen, unseen }) => ({ seen: seen.filter((hash) => !new Set(unseen).has(hash)) }),
  }),
  fifo.writes('first-block-remembered-after-a-return', ({ hash, stage, tick }, _, __, first) => {
    if (stage === 'Confirmed' && !first.has(hash)) first.set(hash, tick);
    return stage === 'Confirmed' && { tick: first.get(hash) };
  }),
  fifo.around('waiting-grows-stale', {
    confirm: ({ pool, given }) => {
      const waiting = pool.peekPending(0, 1_000).transactions.map(({ hash }) => hash);
      const outcome = pool.confirm(...given);
      if (outcome.tip.tick > 4) pool.drop(waiting, 'stale');
      return outcome;
    },
  }),
  status('waiting-has-an-age', ({ stage }, pool) => stage === 'Pending' && { nonConfirmations: pool.currentTip.tick }),
  status('acknowledged-has-no-age', ({ stage }) => stage === 'Acknowledged' && { nonConfirmations: 0 }),
  fifo.around('confirmation-keeps-the-age', {
    confirm: ({ pool, given, notes }) => {
      for (const { hash, nonConfirmations } of pool.checkStatus(given[0].seen))
        notes.numbers.set(hash, nonConfirmations);
      return pool.confirm(...given);
    },
    checkStatus: ({ pool, given, notes }) =>
      pool.checkStatus(...given).map((one) => {
        const age = one.stage === 'Confirmed' ? (notes.numbers.get(one.hash) ?? 0) : 0;
        return { ...one, nonConfirmations: one.nonConfirmations + age };
      }),
  }),
  counts('returned-not-counted', () => ({ returned: 0 })),
  counts('finalized-counted-as-nothing', () => ({ finalized: 0 })),
  counts('dropped-counted-as-finalized', ({ finalized, dropped }) => ({ finalized: finalized + dropped, dropped: 0 })),
  counts('jumps-counted-once', ({ confirmed, finalized }) => ({ confirmed: Math.max(0, confirmed - finalized) })),
  counts('seen-counted-by-the-list', (_, { seen }) => ({ confirmed: seen.length })),
  counts('depth-counted-as-confirmed', ({ confirmed }, { seen }, pool) => {
    const again = pool.checkStatus(seen).filter((one) => one.stage === 'Confirmed' && one.confirmations > 1);
    return { confirmed: confirmed + again.length };
  }),
  stores.told('repeats-in-a-list-counted', {
    confirm: (told, { given: [{ seen }] }) =>
      told.kind === 'applied' && { confirmed: told.confirmed + seen.length - new Set(seen).size },
  }),
  status(
    'foreign-hash-becomes-confirmed',
    ({ hash, stage }, pool) => stage === 'Unknown' && pool.inclusion(hash) !== null && { stage: 'Confirmed' },
  ),
  fifo.told('received-joins-the-last-block', {
    receive: (told, { pool }) => {
      const { tick, point } = pool.currentTip;
      const hashes = tick > 2 ? told.map(({ hash }) => hash) : [];
      pool.force(
        pool.txStates('Pending', hashes).map((txState) => ({ ...txState, stage: 'Confirmed', tick })),
        () => point,
      );
    },
  }),
  status(
    'old-points-forgotten-by-status',
    ({ hash }, pool) => (pool.txState(hash)?.tick ?? 0) < pool.floor && { confirmedAt: null },
  ),
  fifo.each('old-points-forgotten-by-the-log', {
    dumpFinalized: ({ hash }, { pool }) => (pool.txState(hash)?.tick ?? 0) < pool.floor && { point: null },
  }),
];

const never = Number.POSITIVE_INFINITY;

/** L6. */
export const thresholdMutants: readonly Mutant[] = [
  thresholds('finalizes-one-block-late', ({ finalizeThreshold }) => ({ finalizeThreshold: finalizeThreshold + 1 })),
  thresholds('finalizes-one-block-early', ({ finalizeThreshold }) => ({ finalizeThreshold: finalizeThreshold - 1 })),
  stores.opened('drops-in-flight-by-default', (options) => ({ dropThreshold: 2, ...options })),
  thresholds('drops-one-block-late', ({ dropThreshold }) => ({ dropThreshold: dropThreshold + 1 })),
  thresholds('drops-one-block-early', ({ dropThreshold }) => ({ dropThreshold: dropThreshold - 1 })),
  thresholds('never-means-ten-confirmations', (given) => ({
    finalizeThreshold: Math.min(10, given.finalizeThreshold),
  })),
  thresholds('never-means-ten-blocks', ({ dropThreshold }) => ({ dropThreshold: Math.min(10, dropThreshold) })),
  policies('policy-ignored', () => ({})),
  policies('finalize-policy-ignored', ({ finalizeThreshold: _, ...policy }) => policy),
  policies('drop-policy-ignored', ({ dropThreshold: _, ...policy }) => policy),
  policies('policy-completed-by-the-defaults', (policy) =>
    Object.keys(policy).length === 0 ? policy : { finalizeThreshold: 6, dropThreshold: 2, ...policy },
  ),
  stores.around('policy-sticks', {
    confirm: ({ store, given: [block, policy, options], notes: { patches } }) => {
      patches.set('last', { ...patches.get('last'), ...policy });
      return store.confirm(block, patches.get('last'), options);
    },
  }),
  policies('below-one-means-never', (policy) => ({
    ...policy,
    ...((policy.finalizeThreshold ?? 1) < 1 && { finalizeThreshold: never }),
    ...((policy.dropThreshold ?? 1) < 1 && { dropThreshold: never }),
  })),
  stores.opened('below-one-of-open-means-one', ({ finalizeThreshold = 6, dropThreshold = 2, ...options }) => ({
    ...options,
    finalizeThreshold: Math.max(1, finalizeThreshold),
    dropThreshold: Math.max(1, dropThreshold),
  })),
  stores.opened('thresholds-of-open-ignored', ({ finalizeThreshold: _, dropThreshold: __, ...options }) => options),
  fifo.writes(
    'stale-by-another-name',
    ({ reason }, verb) => verb === 'confirm' && reason !== null && { reason: 'expired' },
  ),
  fifo.blocks('dropped-before-seen', ({ seen, thresholds: { dropThreshold } }, pool) => {
    const flying = pool.checkStatus(seen).filter(({ stage }) => stage === 'Propagated');
    const old = flying.filter((one) => one.nonConfirmations + 1 >= dropThreshold).map(({ hash }) => hash);
    return { seen: seen.filter((hash) => !old.includes(hash)) };
  }),
  fifo.blocks('final-before-unseen', ({ unseen, thresholds: { finalizeThreshold, dropThreshold } }, pool) => {
    const isDue = ({ confirmations, nonConfirmations }: TransactionStatus) =>
      (confirmations > 0 && confirmations + 1 >= finalizeThreshold) || nonConfirmations + 1 >= dropThreshold;
    const due = pool.checkStatus(unseen).filter(isDue);
    return { unseen: unseen.filter((hash) => due.every((one) => one.hash !== hash)) };
  }),
  fifo.around('return-keeps-the-counters', {
    confirm: ({ pool, given, notes }) => {
      for (const { hash, confirmations, nonConfirmations } of pool.checkStatus(given[0].unseen))
        notes.patches.set(hash, { confirmations, nonConfirmations });
      return pool.confirm(...given);
    },
    checkStatus: ({ pool, given, notes }) =>
      pool
        .checkStatus(...given)
        .map((one) => ({ ...one, ...(one.stage === 'Pending' && notes.patches.get(one.hash)) })),
  }),
  status(
    'finalized-goes-on-growing',
    ({ hash, stage }, pool) =>
      stage === 'Finalized' && { confirmations: pool.currentTip.tick - (pool.txState(hash)?.tick ?? 0) + 1 },
  ),
];

/** What the rules are told of the tick of a block that carried a hash, where there is one. */
function inclusion(id: string, change: (seen: number, pool: PlantedDriver, final: number) => number | null): Mutant {
  return fifo.view(id, (pool, _, { thresholds }) => ({
    inclusion: (hash) => {
      const seen = pool.inclusion(hash);
      return seen === null ? null : change(seen, pool, thresholds.finalizeThreshold);
    },
  }));
}

/** What is noted of the hashes in an applied block. */
function noted(
  id: string,
  change: (seen: readonly string[], unseen: readonly string[], hashes: Set<string>) => object,
): Mutant {
  return fifo.decided(
    id,
    ({ chain }, _, __, hashes) =>
      chain?.kind === 'applied' && { chain: { ...chain, ...change(chain.seen, chain.unseen, hashes) } },
  );
}

type Sighted = { readonly tick: number; readonly seen: readonly string[] };

/** L13. */
export const sightingMutants: readonly Mutant[] = [
  inclusion('sightings-ignored', () => null),
  inclusion('sightings-one-block-short', (seen, pool) => (seen > pool.currentTip.tick - 5 ? seen : null)),
  inclusion('sightings-of-the-last-six-blocks', (seen, pool, final) =>
    seen > pool.currentTip.tick - Math.min(6, final) ? seen : null,
  ),
  inclusion('sightings-count-for-ever', (_, pool) => pool.currentTip.tick),
  inclusion('sightings-by-the-default-threshold', (seen, { currentTip: { tick } }) => (seen > tick - 6 ? tick : null)),
  fifo.told('sightings-of-blocks-not-kept', {
    confirm: ({ tip: { tick } }, { pool, given: [{ seen }], notes: { known } }) => {
      const blocks = [...((known.get('blocks') ?? []) as Sighted[]), { tick, seen }];
      known.set('blocks', blocks);
      const first = (hash: string) => blocks.find((one) => one.tick >= pool.floor && one.seen.includes(hash))?.tick;
      pool.tell = () => ({ inclusion: (hash) => pool.inclusion(hash) ?? first(hash) ?? null });
    },
  }),
  noted('carried-again-is-not-noted', (all, _, hashes) => {
    const seen = all.filter((hash) => !hashes.has(hash));
    for (const hash of seen) hashes.add(hash);
    return { seen };
  }),
  fifo.told('last-sighting-wins', {
    confirm: ({ tip }, { pool, given: [{ seen }], notes: { numbers } }) => {
      for (const hash of seen) numbers.set(hash, tip.tick);
      pool.tell = () => ({ inclusion: (hash) => (pool.inclusion(hash) === null ? null : (numbers.get(hash) ?? null)) });
    },
  }),
  noted('unseen-keeps-the-sighting', () => ({ unseen: [] })),
  noted('unseen-bars-the-hash', (seen, unseen, hashes) => {
    for (const hash of unseen) hashes.add(hash);
    return { seen: seen.filter((hash) => !hashes.has(hash)) };
  }),
  fifo.told('rollback-keeps-sightings', {
    confirm: (_, { given: [{ seen }], notes: { hashes } }) => {
      for (const hash of seen) hashes.add(hash);
    },
    rollback: (_, { pool, notes: { hashes } }) => {
      pool.tell = () => ({ inclusion: (hash) => (hashes.has(hash) ? pool.currentTip.tick : null) });
    },
  }),
  fifo.told('rollback-forgets-all-sightings', {
    rollback: (_, { pool }) => {
      pool.tell = (verb) => (verb === 'receive' ? { inclusion: () => null } : {});
    },
  }),
  fifo.each('received-as-finalized', {
    checkStatus: ({ stage, confirmations }, { options: { thresholds } }) =>
      stage === 'Confirmed' && confirmations >= thresholds.finalizeThreshold && { stage: 'Finalized' },
  }),
  fifo.each('outcome-says-pending', { receive: ({ kind }) => kind === 'received' && { stage: 'Pending' } }),
  fifo.events('late-arrival-announced-as-pending', (_, verb) => verb === 'receive' && { stage: 'Pending' }),
  fifo.told('late-arrival-waits', {
    peekPending: ({ transactions }, { pool, given }) => {
      const late = pool.peekInflight(...given).transactions.filter(({ hash }) => pool.inclusion(hash) !== null);
      return { transactions: [...transactions, ...late] };
    },
    usage: ({ pending, confirmed }) => ({ pending: pending + confirmed }),
  }),
  fifo.given('only-unknown-hashes-sighted', {
    confirm: (block, { pool }) => {
      const seen = block.seen.filter((hash) => pool.txState(hash) === null);
      pool.decide = (step) => (step.chain?.kind === 'applied' ? { ...step, chain: { ...step.chain, seen } } : step);
    },
  }),
  fifo.given('first-of-a-batch-decides', {
    receive: ([one], { pool }) => {
      const first = pool.inclusion(one?.hash ?? '');
      pool.tell = () => ({ inclusion: () => first });
    },
  }),
  fifo.told('late-arrival-not-undone', {
    receive: (told, { pool, notes: { hashes } }) => {
      for (const one of told) if (one.kind === 'received' && one.stage === 'Confirmed') hashes.add(one.hash);
      const isEarly = ({ hash }: { hash: string }) => !hashes.has(hash);
      pool.tell = () => ({ confirmedAfter: (tick) => pool.confirmedAfter(tick).filter(isEarly) });
    },
  }),
  fifo.told('sighted-hash-counted', {
    confirm: (told, { pool, given: [{ unseen }] }) => {
      const unknown = unseen.filter((hash) => pool.txState(hash) === null).length;
      return told.kind === 'applied' && { returned: told.returned + unknown };
    },
  }),
];

const isOther = (txState: Pick<TxState, 'stage'> | null): boolean => txState?.stage !== 'Acknowledged';

/** What the rules say of every transaction that waits for a block, done to Propagated ones alone. */
export const acknowledgedMutants: readonly Mutant[] = [
  fifo.view('ages-of-acknowledged-stay', (pool) => ({
    waitingAfter: (tick) => pool.waitingAfter(tick).filter(isOther),
  })),
  fifo.view('acknowledged-never-stale', (pool) => ({ aged: (...ticks) => pool.aged(...ticks).filter(isOther) })),
  fifo.blocks('unseen-leaves-acknowledged', ({ unseen }, pool) => ({
    unseen: unseen.filter((hash) => isOther(pool.txState(hash))),
  })),
  fifo.told('acknowledged-is-not-found', { findInflight: (told) => told.map((one) => (isOther(one) ? one : null)) }),
];

/** What a call does to Acknowledged ones is not written. */
function unwritten(id: string, verb: 'rollback' | 'drop'): Mutant {
  return priority.decided(id, [verb], ({ writes }, { memory }) => ({
    writes: writes.filter(({ after }) => isOther(memory.txState(after.hash))),
  }));
}

/** The same in pools by priority. */
export const acknowledgedPriorityMutants: readonly Mutant[] = [
  unwritten('priority-ages-of-acknowledged-stay', 'rollback'),
  unwritten('priority-acknowledged-is-not-dropped', 'drop'),
];
