import type { Candidate, GossipItem } from 'mempool-core';
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
    reap: ({ hash }, { index }) => ({ priority: index.node(hash)?.place?.effectivePriority ?? 0n }),
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
    payloads: (body, { notes: { patches } }) => {
      const { hash } = body;
      if (!patches.has(hash)) patches.set(hash, { payload: body.payload });
      return patches.get(hash);
    },
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

/** A fault in what is asked for. */
function asked(id: string, change: (query: CheckedGossipQuery) => Partial<CheckedGossipQuery>): Mutant {
  return priority.given(id, { since: (query) => change(query) });
}

function only(id: string, isTold: (stage: string, query: CheckedGossipQuery, index: PoolIndex) => boolean): Mutant {
  return priority.only(id, {
    since: ({ hash }, { index, given: [query] }) => isTold(index.node(hash)?.stage ?? 'Unknown', query, index),
  });
}

function itemsAs(id: string, change: (item: GossipItem) => Partial<GossipItem>): Mutant {
  return priority.each(id, { since: (item) => change(item) });
}

/** Tells others too. */
function telling(id: string, isTold: (node: PoolNode) => boolean): Mutant {
  return paging(id, ({ items }, _, index) => {
    const more = [...index.nodes()].filter(isTold).map(({ entry: { hash, seq, gossipSeq, bytes, verdict } }) => ({
      ...{ hash, seq, gossipSeq, bytes, gas: verdict.gas, priority: verdict.priority },
      ...{ payload: null, payloadType: null },
    }));
    return { items: [...items, ...more].sort((a, b) => a.gossipSeq - b.gossipSeq) };
  });
}

/** Only those get a number that have none. */
function numbering(id: string, verbs: readonly RankedVerb[]): Mutant {
  return priority.view(id, verbs, ({ index }) => ({
    number: (node, gossipSeq) => {
      if (node.entry.gossipSeq === 0) index.number(node, gossipSeq);
    },
  }));
}

function numberAnew(index: PoolIndex, node: PoolNode): void {
  index.lastGossipSeq += 1;
  index.number(node, index.lastGossipSeq);
}

/** The hashes of those that provide what a transaction requires, whatever has become of them. */
function providersOf(index: PoolIndex, hash: string): PoolNode[] {
  const requires = index.node(hash)?.entry.verdict.requires ?? [];
  return [...new Set(requires.flatMap((tag) => [...index.providers.of(tag)]))].sort((a, b) => a.seq - b.seq);
}

/** P25. */
export const walkingMutants: readonly Mutant[] = [
  priority.each('parents-never-told', { best: () => ({ parents: [] }) }),
  priority.each('parents-told-backwards', { best: ({ parents }) => ({ parents: parents.toReversed() }) }),
  priority.each('parents-in-flight-told', {
    best: ({ hash }, { index }) => ({ parents: providersOf(index, hash).map((parent) => parent.hash) }),
  }),
  priority.each('grandparents-told-as-parents', {
    best: ({ hash, parents }, { index }) => {
      const far = parents.flatMap((parent) => providersOf(index, parent).map((grandparent) => grandparent.hash));
      return { parents: [...new Set([...far, ...parents])].filter((one) => one !== hash) };
    },
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
  priority.told('first-pages-without-latecomers', {
    best: (page, { memory, given: [after], notes }) => {
      if (after !== null) return page;
      notes.count ||= memory.usage().lastSeq;
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
  priority.decided('acknowledged-ones-numbered-anew', ['move', 'confirm'], ({ writes }, { index, memory }) => {
    for (const { after } of writes) {
      const node = index.node(after.hash);
      const isBack = after.stage === 'Pending' && memory.txState(after.hash)?.stage === 'Acknowledged';
      if (isBack && node !== undefined) numberAnew(index, node);
    }
    return null;
  }),
  paging('gossip-by-price', ({ items }) => ({ items: items.toSorted((a, b) => Number(b.priority - a.priority)) })),
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
  itemsAs('gossip-without-gas', () => ({ gas: 0 })),
  itemsAs('gossip-without-type', () => ({ payloadType: 7 })),
  itemsAs('gossip-numbered-by-seq', ({ seq }) => ({ gossipSeq: seq + 100 })),
  asked('gossip-always-with-payloads', () => ({ hashesOnly: false })),
  asked('gossip-of-all-to-all', () => ({ except: null })),
  asked('gossip-limit-ignored', () => ({ limit: 1_000 })),
  asked('gossip-skips-one-of-a-page', ({ after }) => ({ after: after > 0 ? after + 1 : 0 })),
  asked('gossip-tells-the-last-again', ({ after }) => ({ after: Math.max(0, after - 1) })),
  only('gossip-of-what-waits-alone', (stage) => stage === 'Pending'),
  only('gossip-without-acknowledged-ones', (stage) => stage !== 'Acknowledged'),
  only(
    'gossip-not-to-whoever-sent-any',
    (_, { except }, index) =>
      except === null || ![...index.nodes()].some(({ entry }) => entry.sources.includes(except)),
  ),
  telling('gossip-of-confirmed-ones-too', ({ stage, entry }) => stage === 'Confirmed' && entry.gossipSeq > 0),
  priority.around('gossip-back-to-those-who-sent-it-again', {
    since: async ({ whole, index, given: [query, context] }) => {
      const page = await whole.since({ ...query, except: null }, context);
      const isFirst = ({ hash }: GossipItem) => index.node(hash)?.entry.sources[0] === query.except;
      return query.except === null ? page : { ...page, items: page.items.filter((item) => !isFirst(item)) };
    },
  }),
  telling('gossip-of-private-ones', ({ stage, entry }) => stage === 'Pending' && !entry.verdict.propagate),
  paging('cursor-of-the-last-one-told', ({ items }, { after }) => ({ next: items.at(-1)?.gossipSeq ?? after })),
  paging('cursor-never-stands', ({ next }, { after }) => next === after && { next: after + 1 }),
  paging('cursor-never-ahead-of-the-pool', ({ next }, _, index) => ({ next: Math.min(next, index.lastGossipSeq) })),
  paging('cursor-at-the-newest', ({ next }, _, index) => ({ next: Math.max(next, index.lastGossipSeq) })),
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
  numbering('no-fresh-number-when-ready-again', ['admit']),
  numbering('no-fresh-number-after-the-chain', ['rollback', 'confirm']),
  priority.view('new-life-keeps-its-number', ['admit'], ({ index }) => ({
    number: (node, gossipSeq) => {
      const old = index.touched().find((trace) => trace.node === node)?.before?.entry.gossipSeq ?? 0;
      const isNew = node.entry.seq !== index.node(node.hash)?.entry.admittedAt;
      index.number(node, old > 0 && isNew ? Math.min(old, gossipSeq) : gossipSeq);
    },
  })),
  priority.decided('promoted-numbered-by-seq', ['admit'], (_, { index }) => {
    const isFresh = ({ entry, place }: PoolNode) => place?.ready === true && entry.gossipSeq > 0;
    const fresh = index.touched().map(({ node }) => node);
    const numbered = fresh.filter(isFresh).sort((a, b) => a.seq - b.seq);
    const numbers = numbered.map(({ entry }) => entry.gossipSeq).sort((a, b) => a - b);
    for (const [i, node] of numbered.entries()) index.number(node, numbers[i] ?? 0);
    return null;
  }),
  priority.decided('fresh-number-on-every-return', ['move'], (_, { index, given }) => {
    for (const { node } of given[0] === 'release' ? index.touched() : []) numberAnew(index, node);
    return null;
  }),
  priority.decided('numbers-lost-while-many-come', ['admit'], (_, { index }) => {
    const last = index.touched().at(-1)?.node;
    if (last !== undefined && index.lastGossipSeq % 13 === 0) index.number(last, 1);
    return null;
  }),
];
