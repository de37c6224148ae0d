import type { Candidate } from 'mempool-core';
import type { CheckedBudget, CheckedGossipQuery, DriverGossipPage, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority, type RankedVerb } from './priority-operators.ts';
import { parentsOf } from './priority-order.ts';
import { pools } from './store-operators.ts';

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
  reaping('bytes-nought-do-not-fit-nought', (reaped, { maxBytes }) => (maxBytes === 0 ? [] : reaped)),
  reaping('descendants-of-misfits-reaped', (_, budget, index) => [...fitting(index, budget, () => false)]),
  reaping('grandchildren-of-misfits-reaped', (_, budget, index) => [
    ...fitting(index, budget, (misfits, node) => waitsFor(index, node, misfits, 1)),
  ]),
  reaping('descendants-of-misfits-are-misfits', (_, budget, index) => [
    ...fitting(index, budget, (misfits, node) => waitsFor(index, node, misfits, 9) && misfits.push(node) > 0),
  ]),
  priority.told('reaping-leaves-a-trace', {
    reap: (reaped, { index, given: [{ maxBytes }] }) => {
      for (const { hash } of maxBytes === 200 ? reaped : []) {
        const node = index.node(hash);
        if (node !== undefined) index.move(node, node.stage, { ...node.entry, sources: ['reaper'] });
      }
    },
  }),
  priority.told('keys-fall', { best: (page) => page.toReversed() }),
  priority.told('page-behind-a-gone-key-is-empty', {
    best: (page, { index, given: [after] }) =>
      after === null || [...index.order].some(({ seq }) => seq === after.seq) ? page : [],
  }),
  priority.told('payloads-without-gaps', { payloads: (bodies) => bodies.filter((one) => one !== null) }),
  priority.given('payloads-once-each', { payloads: (hashes) => [...new Set(hashes)] }),
  priority.told('payloads-of-ready-ones-alone', {
    payloads: (bodies, { index, given: [hashes] }) => bodies.map((one, i) => (isReady(index, hashes[i]) ? one : null)),
  }),
  pools.told('takes-for-reaping', {
    reap: async ([first], { store, given: [budget] }) => {
      if (budget?.maxBytes !== undefined && first) await store.markInflight([first.hash]);
    },
  }),
];

/** A fault in the page that a peer is handed. */
function paging(
  id: string,
  change: (page: DriverGossipPage, query: CheckedGossipQuery, index: PoolIndex) => Partial<DriverGossipPage> | false,
): Mutant {
  return priority.told(id, { since: (page, { index, given: [query] }) => change(page, query, index) });
}

/** Only those get a number that have none. */
function numbering(id: string, verbs: readonly RankedVerb[]): Mutant {
  return priority.view(id, verbs, ({ index }) => ({
    number: (node, gossipSeq) => {
      if (node.entry.gossipSeq === 0) index.number(node, gossipSeq);
    },
  }));
}

/** The hashes of those that provide what a transaction requires, whatever has become of them. */
function providersOf(index: PoolIndex, hash: string): PoolNode[] {
  const requires = index.node(hash)?.entry.verdict.requires ?? [];
  return [...new Set(requires.flatMap((tag) => [...index.providers.of(tag)]))].sort((a, b) => a.seq - b.seq);
}

/** P25. */
export const walkingMutants: readonly Mutant[] = [
  priority.each('parents-told-backwards', { best: ({ parents }) => ({ parents: parents.toReversed() }) }),
  priority.each('parents-in-flight-told', {
    best: ({ hash }, { index }) => ({ parents: providersOf(index, hash).map((parent) => parent.hash) }),
  }),
  priority.told('parents-of-the-page-alone', {
    best: (page) => {
      const hashes = new Set(page.map(({ hash }) => hash));
      return page.map((one) => ({ ...one, parents: one.parents.filter((parent) => hashes.has(parent)) }));
    },
  }),
  // Who pages on is told of what was there when the first page was read.
  priority.told('pages-without-latecomers', {
    best: (page, { memory, given: [after], notes }) => {
      if (after === null) notes.count = memory.usage().lastSeq;
      return page.filter(({ seq }) => seq <= notes.count);
    },
  }),
];

/** P10. */
export const gossipMutants: readonly Mutant[] = [
  // What is filtered out takes a place of the page, as if it were not.
  priority.around('filtered-out-takes-a-place', {
    since: async ({ whole, given: [query, context] }) => {
      const { items, next } = await whole.since({ ...query, except: null }, context);
      const told = await whole.since({ ...query, limit: 1_000 }, context);
      const shown = told.items.filter(({ gossipSeq }) => items.some((item) => item.gossipSeq === gossipSeq));
      return { ...told, items: shown, next };
    },
  }),
  numbering('not-told-again-by-a-verdict', ['revise']),
  priority.told('told-again-by-every-verdict', {
    revise: (told, { index }) => {
      for (const { kind, hash } of told) {
        const node = index.node(hash);
        if (kind !== 'revised' || node === undefined) continue;
        index.lastGossipSeq += 1;
        index.move(node, node.stage, { ...node.entry, gossipSeq: index.lastGossipSeq });
      }
    },
  }),
  paging('gossip-by-seq', ({ items }) => ({ items: items.toSorted((a, b) => a.seq - b.seq) })),
  paging('cursor-never-stands', ({ next }, { after }) => next === after && { next: after + 1 }),
  paging('cursor-never-ahead-of-the-pool', ({ next }, _, index) => ({ next: Math.min(next, index.lastGossipSeq) })),
  priority.around('pages-without-end', {
    since: async ({ whole, given: [query, context] }) => {
      const page = await whole.since({ ...query, hashesOnly: true }, context);
      if (query.hashesOnly) return page;
      const hashes = page.items.map(({ hash }) => hash);
      const bodies = await whole.payloads(hashes, context);
      const items = page.items.map((item, i) => ({ ...item, ...bodies[i], hash: item.hash }));
      return { ...page, items };
    },
  }),
  paging('page-of-8-mebibytes-loses-the-rest', ({ items }, { hashesOnly }, index) => {
    const bytes = items.reduce((sum, one) => sum + one.bytes, 0);
    return !hashesOnly && bytes > 7_000_000 && { next: index.lastGossipSeq };
  }),
  priority.view('no-fresh-number-on-promotion', ['admit', 'confirm', 'revise'], ({ index }) => ({
    number: (node) => index.number(node, node.seq),
  })),
];
