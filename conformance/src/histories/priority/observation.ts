import assert from 'node:assert/strict';
import type { AnyStore } from 'mempool-core';
import { readCursor } from 'mempool-core/backend';
import type { Budget } from '../../model/priority/entry.ts';
import { placeOf, readable } from '../../scenario/pool.ts';
import { observe } from '../observation.ts';
import { historyPeers, historyTags, namedSenders } from './call-maker.ts';

type PoolReader = Pick<
  AnyStore,
  'reap' | 'best' | 'since' | 'stale' | 'payloads' | 'peekParked' | 'tip' | 'bySender' | 'byTag'
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

/** Everything that can be read from a priority pool except its dump, as values that can be compared. */
export async function observePriority(
  reader: LifeReader & AnyPoolReader,
  hashes: readonly string[],
): Promise<Record<string, unknown>> {
  const { tick } = await reader.tip();
  const reaped = await Promise.all(budgets.map((budget) => reader.reap(budget)));
  const parked = (await reader.peekParked({ limit: hashes.length })).transactions;
  const payloads = await reader.payloads(hashes);
  return {
    ...(await observe(reader, hashes)),
    reaped,
    best: await bestPages(reader),
    gossip: await gossipPages(reader),
    gossipEnd: placeOf((await reader.usage()).cursors.gossip),
    excepted: readablePage(await reader.since({ except: historyPeers[0] })),
    stale: await reader.stale({ height: tick, limit: 4 }),
    payloads: payloads.map((body) => body && readable(body)),
    parked: parked.map(readable),
    senders: await Promise.all(namedSenders.map((sender) => senderPages(reader, sender))),
    tags: await Promise.all(historyTags.map((tag) => reader.byTag(tag))),
  };
}

/** Without the keys: the contract asks only that they rise. */
async function bestPages(reader: AnyPoolReader): Promise<unknown[]> {
  const ranked: Awaited<ReturnType<AnyStore['best']>> = [];
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
  const pages: Awaited<ReturnType<AnyStore['since']>>[] = [];
  for (let after: string | undefined, place = -1; ; ) {
    const page = await reader.since({ after, limit: 2, hashesOnly: true });
    pages.push({ ...page, next: placeOf(page.next) });
    if (page.items.length === 0) return pages;
    const next = readCursor('gossip', page.next)?.number ?? place;
    assert.ok(next > place, 'cursors rise');
    [after, place] = [page.next, next];
  }
}

function readablePage({ items, next }: Awaited<ReturnType<AnyStore['since']>>): unknown {
  const asText = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('hex');
  return { next: placeOf(next), items: items.map((item) => ({ ...item, payload: asText(item.payload) })) };
}
