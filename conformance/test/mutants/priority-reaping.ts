import type { Candidate } from 'mempool-core';
import type { CheckedBudget, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { parentsOf } from './priority-places.ts';
import { rankedStore, ranking } from './priority-pool.ts';

const endless = Number.POSITIVE_INFINITY;

/** A fault in the room that is reaped for, whoever reaps. */
function budgeting(id: string, change: (budget: CheckedBudget, index: PoolIndex) => Partial<CheckedBudget>): Mutant {
  return ranking(id, (driver, { index }) => ({
    reap: (budget, context) => driver.reap({ ...budget, ...change(budget, index) }, context),
  }));
}

/** A fault in what is told of what is reaped. */
function reaping(
  id: string,
  change: (reaped: Candidate[], budget: CheckedBudget, index: PoolIndex) => Candidate[],
): Mutant {
  return ranking(id, (driver, { index }) => ({
    reap: async (budget, context) => change([...(await driver.reap(budget, context))], budget, index),
  }));
}

function candidateOf({ entry }: PoolNode): Candidate {
  const { hash, seq, bytes, verdict } = entry;
  return { hash, seq, bytes, gas: verdict.gas, priority: verdict.priority };
}

/** Goes through the ready ones by a rule of its own. */
function* fitting(
  index: PoolIndex,
  budget: CheckedBudget,
  isOver: (misfits: readonly PoolNode[], node: PoolNode) => boolean | 'pass',
): Generator<Candidate> {
  let { maxBytes, maxGas, maxTxs } = budget;
  const misfits: PoolNode[] = [];
  for (const node of index.order) {
    if (!node.place.ready || maxTxs === 0) return;
    const bytes = node.entry.bytes + budget.overheadBytes;
    const { gas } = node.entry.verdict;
    const answer = isOver(misfits, node);
    if (answer === true) return;
    if (answer === 'pass') continue;
    if (bytes > maxBytes || gas > maxGas) {
      misfits.push(node);
      if (misfits.length > budget.skip) return;
      continue;
    }
    maxBytes -= bytes;
    maxGas -= gas;
    maxTxs -= 1;
    yield candidateOf(node);
  }
}

function waitsFor(index: PoolIndex, node: PoolNode, passed: readonly PoolNode[], far: number): boolean {
  const parents = parentsOf(index, node.entry);
  if (parents.some((parent) => passed.includes(parent))) return true;
  return far > 1 && parents.some((parent) => waitsFor(index, parent, passed, far - 1));
}

/** P7. */
export const reapingMutants: readonly Mutant[] = [
  budgeting('overhead-ignored', () => ({ overheadBytes: 0 })),
  budgeting('overhead-counted-once', ({ maxBytes, overheadBytes }) => ({
    overheadBytes: 0,
    maxBytes: maxBytes - overheadBytes,
  })),
  budgeting('gas-ignored', () => ({ maxGas: endless })),
  budgeting('no-gas-is-no-limit', ({ maxGas }) => ({ maxGas: maxGas === 0 ? endless : maxGas })),
  budgeting('no-bytes-is-no-limit', ({ maxBytes }) => ({ maxBytes: maxBytes === 0 ? endless : maxBytes })),
  budgeting('no-count-is-no-limit', ({ maxTxs }) => ({ maxTxs: maxTxs === 0 ? endless : maxTxs })),
  budgeting('count-ignored', ({ maxTxs }) => ({ maxTxs: maxTxs > 1 ? endless : maxTxs })),
  budgeting('bytes-must-be-left-over', ({ maxBytes }) => ({ maxBytes: maxBytes - 1 })),
  budgeting('gas-must-be-left-over', ({ maxGas }) => ({ maxGas: maxGas - 1 })),
  budgeting('bytes-ignored-where-gas-is-given', ({ maxBytes, maxGas }) => ({
    maxBytes: maxGas === endless ? maxBytes : endless,
  })),
  budgeting('gas-ignored-where-bytes-are-given', ({ maxBytes, maxGas }) => ({
    maxGas: maxBytes === endless ? maxGas : endless,
  })),
  budgeting('gas-of-fifteen-at-most', ({ maxGas }) => ({
    maxGas: maxGas === endless ? endless : Math.min(15, maxGas),
  })),
  budgeting('a-thousand-bytes-are-no-limit', ({ maxBytes }) => ({
    maxBytes: maxBytes > 300 ? Math.min(maxBytes, 300) : maxBytes,
  })),
  budgeting('misfits-always-passed-over', () => ({ skip: endless })),
  budgeting('misfits-never-passed-over', () => ({ skip: 0 })),
  budgeting('one-misfit-less-passed-over', ({ skip }) => ({ skip: Math.max(0, skip - 1) })),
  budgeting('one-misfit-at-most-passed-over', ({ skip }) => ({ skip: Math.min(1, skip) })),
  reaping('at-least-one-is-reaped', (reaped, { maxTxs }, { order }) =>
    reaped.length === 0 && maxTxs > 0 && order.first?.place.ready ? [candidateOf(order.first)] : reaped,
  ),
  reaping('first-misfit-is-reaped-too', (reaped, { maxBytes, maxGas, skip }, index) => {
    const next = [...index.order][reaped.length];
    const isBound = (maxBytes !== endless || maxGas !== endless) && skip === 0;
    return isBound && next?.place.ready ? [...reaped, candidateOf(next)] : reaped;
  }),
  reaping('nineteen-are-reaped-at-most', (reaped) => reaped.slice(0, 19)),
  reaping('gas-nought-does-not-fit-nought', (reaped, { maxGas }) => (maxGas === 0 ? [] : reaped)),
  reaping('bytes-nought-do-not-fit-nought', (reaped, { maxBytes }) => (maxBytes === 0 ? [] : reaped)),
  reaping('descendants-of-misfits-reaped', (_, budget, index) => [...fitting(index, budget, () => false)]),
  reaping('grandchildren-of-misfits-reaped', (_, budget, index) => [
    ...fitting(index, budget, (misfits, node) => (waitsFor(index, node, misfits, 1) ? 'pass' : false)),
  ]),
  reaping('descendants-of-misfits-are-misfits', (_, budget, index) => [
    ...fitting(index, budget, (misfits, node) => {
      if (!waitsFor(index, node, misfits, 9)) return false;
      (misfits as PoolNode[]).push(node);
      return misfits.length > budget.skip ? true : 'pass';
    }),
  ]),
  reaping('candidates-at-the-price-they-sort-by', (reaped, _, index) =>
    reaped.map((one) => ({ ...one, priority: index.node(one.hash)?.place?.eff ?? 0n })),
  ),
  reaping('candidates-without-gas', (reaped) => reaped.map((one) => ({ ...one, gas: 0 }))),
  ranking('reaping-leaves-a-trace', (driver, { index }) => ({
    async reap(budget, context) {
      const reaped = await driver.reap(budget, context);
      if (budget.maxBytes === 200)
        for (const { hash } of reaped) {
          const node = index.node(hash);
          if (node !== undefined) index.move(node, node.stage, { ...node.entry, sources: ['reaper'] });
        }
      return reaped;
    },
  })),
  ranking('keys-without-seq', (driver) => ({
    best: async (...given) =>
      (await driver.best(...given)).map((one) => ({ ...one, key: one.key.slice(0, 39).padEnd(53, '0') })),
  })),
  ranking('keys-without-depth', (driver) => ({
    best: async (...given) =>
      (await driver.best(...given)).map((one) => ({
        ...one,
        key: `${one.key.slice(0, 31)}00000000${one.key.slice(39)}`,
      })),
  })),
  ranking('keys-fall', (driver) => ({
    best: async (...given) => [...(await driver.best(...given))].reverse(),
  })),
  ranking('page-behind-a-gone-key-is-empty', (driver, { index }) => ({
    best: (after, limit, context) => {
      const isThere = after === null || [...index.order].some(({ seq }) => seq === after.seq);
      return isThere ? driver.best(after, limit, context) : [];
    },
  })),
  ranking('page-of-best-begins-with-its-cursor', (driver) => ({
    best: (after, limit, context) => driver.best(after && { ...after, seq: after.seq - 1 }, limit, context),
  })),
  ranking('payloads-without-gaps', (driver) => ({
    payloads: async (...given) => (await driver.payloads(...given)).filter((one) => one !== null),
  })),
  ranking('payloads-once-each', (driver) => ({
    payloads: (hashes, context) => driver.payloads([...new Set(hashes)], context),
  })),
  ranking('payloads-of-ready-ones-alone', (driver, { index }) => ({
    payloads: async (hashes, context) => {
      const found = await driver.payloads(hashes, context);
      return found.map((one, i) => (index.node(hashes[i] ?? '')?.place?.ready === false ? null : one));
    },
  })),
  ranking('payloads-handed-out-as-they-are-kept', (driver) => {
    const kept = new Map<string, Uint8Array>();
    return {
      payloads: async (...given) =>
        (await driver.payloads(...given)).map((one) => {
          if (one === null) return null;
          if (!kept.has(one.hash)) kept.set(one.hash, one.payload);
          return { ...one, payload: kept.get(one.hash) ?? one.payload };
        }),
    };
  }),
  rankedStore('takes-for-reaping', (store) => ({
    reap: async (budget, options) => {
      const reaped = await store.reap(budget, options);
      if (budget?.maxBytes !== undefined) await store.markInflight(reaped.slice(0, 1).map(({ hash }) => hash));
      return reaped;
    },
  })),
];
