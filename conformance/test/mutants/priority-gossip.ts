import type { GossipItem, GossipPage } from 'mempool-core';
import type { CheckedGossipQuery, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority, type RankedVerb } from './priority-pool.ts';

/** A fault in the page that a peer is handed. */
function paging(
  id: string,
  change: (page: GossipPage, query: CheckedGossipQuery, index: PoolIndex) => Partial<GossipPage> | false,
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

/** P10. */
export const gossipMutants: readonly Mutant[] = [
  // What is filtered out takes a place of the page, as if it were not.
  priority.around('filtered-out-takes-a-place', {
    since: async ({ whole, given: [query, context] }) => {
      const { items, next } = await whole.since({ ...query, except: null }, context);
      const told = await whole.since({ ...query, limit: 1_000 }, context);
      return { items: told.items.filter(({ gossipSeq }) => items.some((item) => item.gossipSeq === gossipSeq)), next };
    },
  }),
  priority.decided('acknowledged-ones-numbered-anew', ['move', 'confirm'], ({ writes }, { index, ledger }) => {
    for (const { after } of writes) {
      const node = index.node(after.hash);
      const isBack = after.stage === 'Pending' && ledger.life(after.hash)?.stage === 'Acknowledged';
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
