import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

/** What the rules are told of the tick of a block that carried a hash, where there is one. */
function sighting(id: string, change: (seen: number, pool: PlantedDriver, final: number) => number | null): Mutant {
  return fifo.view(id, (pool, _, { thresholds }) => ({
    sighting: (hash) => {
      const seen = pool.sighting(hash);
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

/** L13. */
export const sightingMutants: readonly Mutant[] = [
  sighting('sightings-ignored', () => null),
  sighting('sightings-one-block-short', (seen, pool) => (seen > pool.currentTip.tick - 5 ? seen : null)),
  sighting('sightings-of-the-last-six-blocks', (seen, pool, final) =>
    seen > pool.currentTip.tick - Math.min(6, final) ? seen : null,
  ),
  sighting('sightings-count-for-ever', (_, pool) => pool.currentTip.tick),
  sighting('sightings-by-the-default-threshold', (seen, { currentTip: { tick } }) => (seen > tick - 6 ? tick : null)),
  fifo.plant('sightings-of-blocks-not-kept', (_, { pool }) => {
    const blocks: (readonly [tick: number, seen: readonly string[]])[] = [];
    const first = (hash: string) => blocks.find(([tick, seen]) => tick >= pool.floor && seen.includes(hash))?.[0];
    pool.tell = () => ({ sighting: (hash) => pool.sighting(hash) ?? first(hash) ?? null });
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        blocks.push([outcome.tip.tick, block.seen]);
        return outcome;
      },
    };
  }),
  noted('carried-again-is-not-noted', (all, _, hashes) => {
    const seen = all.filter((hash) => !hashes.has(hash));
    for (const hash of seen) hashes.add(hash);
    return { seen };
  }),
  fifo.told('last-sighting-wins', {
    confirm: ({ tip }, { pool, given: [{ seen }], notes: { numbers } }) => {
      for (const hash of seen) numbers.set(hash, tip.tick);
      pool.tell = () => ({ sighting: (hash) => (pool.sighting(hash) === null ? null : (numbers.get(hash) ?? null)) });
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
      pool.tell = () => ({ sighting: (hash) => (hashes.has(hash) ? pool.currentTip.tick : null) });
    },
  }),
  fifo.told('rollback-forgets-all-sightings', {
    rollback: (_, { pool }) => {
      pool.tell = (verb) => (verb === 'receive' ? { sighting: () => null } : {});
    },
  }),
  fifo.each('received-as-finalized', {
    checkStatus: ({ stage, confirmations }, { options: { thresholds } }) =>
      stage === 'Confirmed' && confirmations >= thresholds.finalizeThreshold && { stage: 'Finalized' },
  }),
  fifo.each('outcome-says-pending', { receive: ({ kind }) => kind === 'received' && { stage: 'Pending' } }),
  fifo.events('late-arrival-announced-as-pending', (_, verb) => verb === 'receive' && { stage: 'Pending' }),
  fifo.told('late-arrival-waits', {
    peekPending: (page, { pool, given }) => [
      ...page,
      ...pool.peekInflight(...given).filter(({ hash }) => pool.sighting(hash) !== null),
    ],
    usage: ({ pending, confirmed }) => ({ pending: pending + confirmed }),
  }),
  fifo.given('only-unknown-hashes-sighted', {
    confirm: (block, { pool }) => {
      const seen = block.seen.filter((hash) => pool.life(hash) === null);
      pool.decide = (step) => (step.chain?.kind === 'applied' ? { ...step, chain: { ...step.chain, seen } } : step);
    },
  }),
  fifo.given('first-of-a-batch-decides', {
    receive: ([one], { pool }) => {
      const first = pool.sighting(one?.hash ?? '');
      pool.tell = () => ({ sighting: () => first });
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
      const unknown = unseen.filter((hash) => pool.life(hash) === null).length;
      return told.kind === 'applied' && { returned: told.returned + unknown };
    },
  }),
];
