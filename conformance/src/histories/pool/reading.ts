import assert from 'node:assert/strict';
import type { TransactionPage } from 'mempool-core';
import { readCursor } from 'mempool-core/backend';
import type { TestedPool } from '../../case/tested-pool.ts';
import type { Budget } from '../../model/priority/entry.ts';
import { placeOf, readable } from '../../scenario/pool.ts';
import { observe } from '../observation.ts';
import { type HistoryScope, historyPeers, historyTags, namedSenders } from './call-maker.ts';

type PoolReader = Pick<
  TestedPool,
  'reap' | 'best' | 'since' | 'stale' | 'payloads' | 'peekParked' | 'tip' | 'bySender' | 'byTag' | 'usage'
>;
type AnyPoolReader = {
  [V in keyof PoolReader]: (
    ...args: Parameters<PoolReader[V]>
  ) => ReturnType<PoolReader[V]> | Awaited<ReturnType<PoolReader[V]>>;
};
type LifeReader = Parameters<typeof observe>[0];

const budgets: readonly Budget[] = [
  {},
  { maxTxs: 2 },
  { maxBytes: 60, overheadBytes: 3 },
  { maxGas: 12, skip: 1 },
  { maxBytes: 40, maxGas: 20, skip: 3 },
  { maxGas: 0, skip: 100 },
];

/** Everything that can be read from a pool except its dump, as values that can be compared. */
export async function readPool(
  reader: LifeReader & AnyPoolReader,
  hashes: readonly string[],
  scope: HistoryScope,
): Promise<Record<string, unknown>> {
  const { peekPending, peekInflight } = pagesOf(reader);
  const life = { ...(await observe(reader, hashes)), pages: [await listed(peekPending), await listed(peekInflight)] };
  if (scope === 'basic') return life;
  const optional = { ...life, ...(await readOptional(reader, hashes)) };
  return scope === 'fifo' ? optional : { ...optional, ...(await readRanked(reader, hashes)) };
}

type ReadPage = (query: {
  readonly after?: string | undefined;
  readonly limit: number;
}) => TransactionPage | Promise<TransactionPage>;

function pagesOf(reader: LifeReader): Record<'peekPending' | 'peekInflight', ReadPage> {
  return { peekPending: (query) => reader.peekPending(query), peekInflight: (query) => reader.peekInflight(query) };
}

/** The pages of a list, one after the other. */
async function listed(read: ReadPage): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let after: string | undefined; ; ) {
    const page = await read({ after, limit: 3 });
    pages.push([page.transactions.map(({ seq }) => seq), placeOf(page.next)]);
    if (page.transactions.length === 0) return pages;
    after = page.next;
  }
}

/** The reads that P18 lets a fifo pool have. */
async function readOptional(reader: AnyPoolReader, hashes: readonly string[]): Promise<Record<string, unknown>> {
  const payloads = await reader.payloads(hashes);
  return {
    reaped: await Promise.all(budgets.map((budget) => reader.reap(budget))),
    gossip: await gossipPages(reader),
    whole: gossipPage(await reader.since({ limit: 10 })),
    gossipEnd: placeOf((await reader.usage()).cursors.gossip),
    payloads: payloads.map((body) => body && readable(body)),
    parked: await listed((query) => reader.peekParked(query)),
  };
}

async function readRanked(reader: AnyPoolReader, hashes: readonly string[]): Promise<Record<string, unknown>> {
  const { tick } = await reader.tip();
  const parked = (await reader.peekParked({ limit: hashes.length })).transactions;
  return {
    load: (await reader.usage()).load,
    best: await bestPages(reader),
    excepted: gossipPage(await reader.since({ except: historyPeers[0] })),
    stale: await reader.stale({ height: tick, limit: 4 }),
    parkedBodies: parked.map(readable),
    senders: await Promise.all(namedSenders.map((sender) => senderPages(reader, sender))),
    tags: await Promise.all(historyTags.map((tag) => reader.byTag(tag))),
  };
}

/** Without the keys: the contract asks only that they rise. */
async function bestPages(reader: AnyPoolReader): Promise<unknown[]> {
  const ranked: Awaited<ReturnType<TestedPool['best']>> = [];
  for (let page = await reader.best({ limit: 3 }); page.length > 0; ) {
    for (const one of page) {
      assert.ok((ranked.at(-1)?.key ?? '') < one.key, 'keys rise');
      ranked.push(one);
    }
    const after = ranked.at(-1)?.key;
    page = await reader.best(after === undefined ? { limit: 3 } : { limit: 3, after });
  }
  return ranked.map(({ key: _, ...candidate }) => candidate);
}

/** Without the keys. */
async function senderPages(reader: AnyPoolReader, sender: string): Promise<unknown> {
  const found: unknown[] = [];
  for (let after: string | undefined; ; ) {
    const { transactions, missing, next } = await reader.bySender(sender, { after, limit: 3 });
    found.push(...transactions.map(({ key: _, ...one }) => one));
    if (next === null) return { transactions: found, missing };
    after = next;
  }
}

async function gossipPages(reader: AnyPoolReader): Promise<unknown[]> {
  const pages: Awaited<ReturnType<TestedPool['since']>>[] = [];
  for (let after: string | undefined, place = -1; ; ) {
    const page = await reader.since({ after, limit: 2, hashesOnly: true });
    pages.push({ ...page, next: placeOf(page.next) });
    if (page.items.length === 0) return pages;
    const next = readCursor('gossip', page.next)?.number ?? place;
    assert.ok(next > place, 'cursors rise');
    [after, place] = [page.next, next];
  }
}

function gossipPage({ items, next }: Awaited<ReturnType<TestedPool['since']>>): unknown {
  const asText = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('hex');
  return { next: placeOf(next), items: items.map((item) => ({ ...item, payload: asText(item.payload) })) };
}
