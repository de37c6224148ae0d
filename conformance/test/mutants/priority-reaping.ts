import type { Candidate } from 'mempool-core';
import type { CheckedBudget, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { parentsOf } from './priority-places.ts';
import { priority } from './priority-pool.ts';
import { pools } from './stores.ts';

const endless = Number.POSITIVE_INFINITY;

/** A fault in the room that is reaped for, whoever reaps. */
function budgeting(id: string, change: (budget: CheckedBudget) => Partial<CheckedBudget>): Mutant {
  return priority.given(id, { reap: (budget) => change(budget) });
}

/** A fault in what is told of what is reaped. */
function reaping(
  id: string,
  change: (reaped: Candidate[], budget: CheckedBudget, index: PoolIndex) => Candidate[],
): Mutant {
  return priority.told(id, { reap: (reaped, { index, given: [budget] }) => change([...reaped], budget, index) });
}

function candidateOf({ entry: { hash, seq, bytes, verdict } }: PoolNode): Candidate {
  return { hash, seq, bytes, gas: verdict.gas, priority: verdict.priority };
}

/** Goes through the ready ones by a rule of its own. */
function* fitting(
  index: PoolIndex,
  budget: CheckedBudget,
  isPassed: (misfits: PoolNode[], node: PoolNode) => boolean,
): Generator<Candidate> {
  let { maxBytes, maxGas, maxTxs } = budget;
  const misfits: PoolNode[] = [];
  for (const node of index.order) {
    if (!node.place.ready || maxTxs === 0) return;
    const bytes = node.entry.bytes + budget.overheadBytes;
    const { gas } = node.entry.verdict;
    const passed = isPassed(misfits, node);
    if (!passed && (bytes > maxBytes || gas > maxGas)) misfits.push(node);
    else if (!passed) {
      maxBytes -= bytes;
      maxGas -= gas;
      maxTxs -= 1;
      yield candidateOf(node);
    }
    if (misfits.length > budget.skip) return;
  }
}

function waitsFor(index: PoolIndex, node: PoolNode, passed: readonly PoolNode[], far: number): boolean {
  const parents = parentsOf(index, node.entry);
  if (parents.some((parent) => passed.includes(parent))) return true;
  return far > 1 && parents.some((parent) => waitsFor(index, parent, passed, far - 1));
}

const isReady = (index: PoolIndex, hash = ''): boolean => index.node(hash)?.place?.ready !== false;

/** P7. */
export const reapingMutants: readonly Mutant[] = [
  budgeting('overhead-ignored', () => ({ overheadBytes: 0 })),
  budgeting('overhead-counted-once', ({ maxBytes, overheadBytes }) => ({
    overheadBytes: 0,
    maxBytes: maxBytes - overheadBytes,
  })),
  budgeting('gas-ignored', () => ({ maxGas: endless })),
  budgeting('no-gas-is-no-limit', ({ maxGas }) => ({ maxGas: maxGas || endless })),
  budgeting('no-bytes-is-no-limit', ({ maxBytes }) => ({ maxBytes: maxBytes || endless })),
  budgeting('no-count-is-no-limit', ({ maxTxs }) => ({ maxTxs: maxTxs || endless })),
  budgeting('count-ignored', ({ maxTxs }) => ({ maxTxs: maxTxs > 1 ? endless : maxTxs })),
  budgeting('bytes-must-be-left-over', ({ maxBytes }) => ({ maxBytes: maxBytes - 1 })),
  budgeting('gas-must-be-left-over', ({ maxGas }) => ({ maxGas: maxGas - 1 })),
  budgeting('bytes-ignored-where-gas-is-given', ({ maxGas }) => (maxGas === endless ? {} : { maxBytes: endless })),
  budgeting('gas-ignored-where-bytes-are-given', ({ maxBytes }) => (maxBytes === endless ? {} : { maxGas: endless })),
  budgeting('gas-of-fifteen-at-most', ({ maxGas }) => (maxGas === endless ? {} : { maxGas: Math.min(15, maxGas) })),
  budgeting('a-thousand-bytes-are-no-limit', ({ maxBytes }) => ({ maxBytes: Math.min(maxBytes, 300) })),
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
    ...fitting(index, budget, (misfits, node) => waitsFor(index, node, misfits, 1)),
  ]),
  reaping('descendants-of-misfits-are-misfits', (_, budget, index) => [
    ...fitting(index, budget, (misfits, node) => waitsFor(index, node, misfits, 9) && misfits.push(node) > 0),
  ]),
  priority.each('candidates-at-the-price-they-sort-by', {
    reap: ({ hash }, { index }) => ({ priority: index.node(hash)?.place?.eff ?? 0n }),
  }),
  priority.each('candidates-without-gas', { reap: () => ({ gas: 0 }) }),
  priority.told('reaping-leaves-a-trace', {
    reap: (reaped, { index, given: [{ maxBytes }] }) => {
      for (const { hash } of maxBytes === 200 ? reaped : []) {
        const node = index.node(hash);
        if (node !== undefined) index.move(node, node.stage, { ...node.entry, sources: ['reaper'] });
      }
    },
  }),
  priority.each('keys-without-seq', { best: ({ key }) => ({ key: key.slice(0, 39).padEnd(53, '0') }) }),
  priority.each('keys-without-depth', { best: ({ key }) => ({ key: `${key.slice(0, 31)}00000000${key.slice(39)}` }) }),
  priority.told('keys-fall', { best: (page) => page.toReversed() }),
  priority.told('page-behind-a-gone-key-is-empty', {
    best: (page, { index, given: [after] }) =>
      after === null || [...index.order].some(({ seq }) => seq === after.seq) ? page : [],
  }),
  priority.given('page-of-best-begins-with-its-cursor', { best: (after) => after && { seq: after.seq - 1 } }),
  priority.told('payloads-without-gaps', { payloads: (bodies) => bodies.filter((one) => one !== null) }),
  priority.given('payloads-once-each', { payloads: (hashes) => [...new Set(hashes)] }),
  priority.told('payloads-of-ready-ones-alone', {
    payloads: (bodies, { index, given: [hashes] }) => bodies.map((one, i) => (isReady(index, hashes[i]) ? one : null)),
  }),
  priority.each('payloads-handed-out-as-they-are-kept', {
    payloads: ({ hash, payload }, { notes: { patches } }) => {
      if (!patches.has(hash)) patches.set(hash, { payload });
      return patches.get(hash);
    },
  }),
  pools.told('takes-for-reaping', {
    reap: async ([first], { store, given: [budget] }) => {
      if (budget?.maxBytes !== undefined && first) await store.markInflight([first.hash]);
    },
  }),
];
