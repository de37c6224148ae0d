import type { GossipItem, GossipPage } from 'mempool-core';
import type { CheckedGossipQuery, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { type RankedVerb, ranked, ranking, seeing, settling } from './priority-pool.ts';

/** A fault in the page that a peer is handed. */
function paging(
  id: string,
  change: (page: GossipPage, query: CheckedGossipQuery, index: PoolIndex) => GossipPage,
): Mutant {
  return ranking(id, (driver, { index }) => ({
    since: async (query, context) => change(await driver.since(query, context), query, index),
  }));
}

/** What is filtered out takes a place of the page, as if it were not. */
function counting(id: string): Mutant {
  return ranking(id, (driver) => ({
    since: async (query, context) => {
      const { items, next } = await driver.since({ ...query, except: null }, context);
      const told = await driver.since({ ...query, limit: 1_000 }, context);
      return { items: told.items.filter(({ gossipSeq }) => items.some((item) => item.gossipSeq === gossipSeq)), next };
    },
  }));
}

/** A fault in what is asked for. */
function asked(id: string, change: (query: CheckedGossipQuery) => Partial<CheckedGossipQuery>): Mutant {
  return ranking(id, (driver) => ({
    since: (query, context) => driver.since({ ...query, ...change(query) }, context),
  }));
}

function only(id: string, isTold: (item: GossipItem, index: PoolIndex, query: CheckedGossipQuery) => boolean): Mutant {
  return paging(id, (page, query, index) => ({
    ...page,
    items: page.items.filter((item) => isTold(item, index, query)),
  }));
}

function itemsAs(id: string, change: (item: GossipItem) => Partial<GossipItem>): Mutant {
  return paging(id, (page) => ({ ...page, items: page.items.map((item) => ({ ...item, ...change(item) })) }));
}

/** Gives numbers in another way. */
function numbering(
  id: string,
  verbs: readonly RankedVerb[],
  isNumbered: (hash: string, index: PoolIndex, before: number) => boolean,
): Mutant {
  return seeing(id, verbs, ({ index }) => ({
    number: (node, gossipSeq) => {
      if (isNumbered(node.hash, index, node.entry.gossipSeq)) index.number(node, gossipSeq);
    },
  }));
}

const stageOf = (index: PoolIndex, { hash }: GossipItem): string => index.node(hash)?.stage ?? 'Unknown';

/** P10. */
export const gossipMutants: readonly Mutant[] = [
  counting('filtered-out-takes-a-place'),
  settling('acknowledged-ones-numbered-anew', ['move', 'confirm'], (step, { index, ledger }) => {
    for (const { after } of step.writes) {
      const node = index.node(after.hash);
      if (after.stage !== 'Pending' || ledger.life(after.hash)?.stage !== 'Acknowledged' || node === undefined)
        continue;
      index.lastGossipSeq += 1;
      index.number(node, index.lastGossipSeq);
    }
    return step;
  }),
  paging('gossip-by-price', (page) => ({
    ...page,
    items: [...page.items].sort((a, b) => Number(b.priority - a.priority)),
  })),
  numbering('not-told-again-by-a-verdict', ['revise'], (_, __, before) => before === 0),
  ranking('told-again-by-every-verdict', (driver, { index }) => ({
    revise: async (...given) => {
      const outcomes = await driver.revise(...given);
      for (const { kind, hash } of outcomes) {
        const node = index.node(hash);
        if (kind !== 'revised' || node === undefined) continue;
        index.lastGossipSeq += 1;
        index.move(node, node.stage, { ...node.entry, gossipSeq: index.lastGossipSeq });
      }
      return outcomes;
    },
  })),
  paging('gossip-by-seq', (page) => ({ ...page, items: [...page.items].sort((a, b) => a.seq - b.seq) })),
  itemsAs('gossip-without-gas', () => ({ gas: 0 })),
  itemsAs('gossip-without-type', () => ({ payloadType: 7 })),
  itemsAs('gossip-numbered-by-seq', ({ seq }) => ({ gossipSeq: seq + 100 })),
  asked('gossip-always-with-payloads', () => ({ hashesOnly: false })),
  asked('gossip-of-all-to-all', () => ({ except: null })),
  asked('gossip-limit-ignored', () => ({ limit: 1_000 })),
  asked('gossip-skips-one-of-a-page', ({ after }) => ({ after: after > 0 ? after + 1 : 0 })),
  asked('gossip-tells-the-last-again', ({ after }) => ({ after: Math.max(0, after - 1) })),
  only('gossip-of-what-waits-alone', (item, index) => stageOf(index, item) === 'Pending'),
  only('gossip-without-acknowledged-ones', (item, index) => stageOf(index, item) !== 'Acknowledged'),
  only(
    'gossip-not-to-whoever-sent-any',
    (_, index, { except }) =>
      except === null || ![...index.nodes()].some(({ entry }) => entry.sources.includes(except)),
  ),
  paging('gossip-of-confirmed-ones-too', (page, _, index) => {
    const confirmed = [...index.nodes()].filter(({ stage, entry }) => stage === 'Confirmed' && entry.gossipSeq > 0);
    const items = confirmed.map(({ entry: { hash, seq, gossipSeq, bytes, verdict } }) => ({
      ...{ hash, seq, gossipSeq, bytes, gas: verdict.gas, priority: verdict.priority },
      ...{ payload: null, payloadType: null },
    }));
    return { ...page, items: [...page.items, ...items] };
  }),
  ranking('gossip-back-to-those-who-sent-it-again', (driver, { index }) => ({
    since: async (query, context) => {
      const page = await driver.since({ ...query, except: null }, context);
      const isFirst = ({ hash }: GossipItem) => index.node(hash)?.entry.sources[0] === query.except;
      return query.except === null ? page : { ...page, items: page.items.filter((item) => !isFirst(item)) };
    },
  })),
  ranking('gossip-of-private-ones', (driver, { index }) => ({
    since: async (query, context) => {
      const page = await driver.since(query, context);
      const secret = [...index.nodes()].filter(({ entry, stage }) => !entry.verdict.propagate && stage === 'Pending');
      const items = secret.map(({ entry: { hash, seq, gossipSeq, bytes, verdict } }) => ({
        ...{ hash, seq, gossipSeq, bytes, gas: verdict.gas, priority: verdict.priority },
        ...{ payload: null, payloadType: null },
      }));
      return { ...page, items: [...page.items, ...items].sort((a, b) => a.gossipSeq - b.gossipSeq) };
    },
  })),
  paging('cursor-of-the-last-one-told', (page, { after }) => ({
    ...page,
    next: page.items.at(-1)?.gossipSeq ?? after,
  })),
  paging('cursor-never-stands', (page, { after }) => (page.next === after ? { ...page, next: after + 1 } : page)),
  paging('cursor-never-ahead-of-the-pool', (page, _, index) => ({
    ...page,
    next: Math.min(page.next, index.lastGossipSeq),
  })),
  paging('cursor-at-the-newest', (page, _, index) => ({ ...page, next: Math.max(page.next, index.lastGossipSeq) })),
  ranking('pages-without-end', (driver) => ({
    since: async (query, context) => {
      const page = await driver.since({ ...query, hashesOnly: true }, context);
      if (query.hashesOnly) return page;
      const bodies = await driver.payloads(
        page.items.map(({ hash }) => hash),
        context,
      );
      const items = page.items.map((item, i) => ({
        ...item,
        payload: bodies[i]?.payload ?? null,
        payloadType: bodies[i]?.payloadType ?? null,
      }));
      return { ...page, items };
    },
  })),
  paging('page-of-8-mebibytes-loses-the-rest', (page, { hashesOnly }, index) => {
    const bytes = page.items.reduce((sum, one) => sum + one.bytes, 0);
    return !hashesOnly && bytes > 7_000_000 ? { ...page, next: index.lastGossipSeq } : page;
  }),
  seeing('no-fresh-number-on-promotion', ['admit', 'confirm', 'revise'], ({ index }) => ({
    number: (node) => index.number(node, node.seq),
  })),
  numbering('no-fresh-number-when-ready-again', ['admit'], (_, __, before) => before === 0),
  numbering('no-fresh-number-after-the-chain', ['rollback', 'confirm'], (_, __, before) => before === 0),
  seeing('new-life-keeps-its-number', ['admit'], ({ index }) => ({
    number: (node, gossipSeq) => {
      const old = index.touched().find((trace) => trace.node === node)?.before?.entry.gossipSeq ?? 0;
      index.number(
        node,
        old > 0 && node.entry.seq !== index.node(node.hash)?.entry.admittedAt ? Math.min(old, gossipSeq) : gossipSeq,
      );
    },
  })),
  settling('promoted-numbered-by-seq', ['admit'], (step, { index }) => {
    const fresh = index
      .touched()
      .map(({ node }) => node)
      .filter(({ entry, place }) => place?.ready === true && entry.gossipSeq > 0);
    const numbers = fresh.map(({ entry }) => entry.gossipSeq).sort((a, b) => a - b);
    for (const [i, node] of fresh.sort((a, b) => a.seq - b.seq).entries()) index.number(node, numbers[i] ?? 0);
    return step;
  }),
  settling('fresh-number-on-every-return', ['move'], (step, { index, given }) => {
    if (given[0] !== 'release') return step;
    for (const { node } of index.touched()) {
      index.lastGossipSeq += 1;
      index.number(node, index.lastGossipSeq);
    }
    return step;
  }),
  ranked('numbers-lost-while-many-come', {
    decide: (step, { verb, index }) => {
      const last = index.touched().at(-1)?.node;
      if (verb === 'admit' && last !== undefined && index.lastGossipSeq % 13 === 0) index.number(last, 1);
      return step;
    },
  }),
];
