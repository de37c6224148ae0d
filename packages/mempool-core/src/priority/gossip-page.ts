import { maxPageBytes } from '../contract/page-rules.ts';
import type { CheckedGossipQuery } from '../contract/pool-driver.ts';
import type { GossipItem, GossipPage } from '../contract/pool-verbs.ts';
import type { PoolIndex } from './pool-index.ts';

/** What a page of gossip hands out, before the payloads are fetched. */
export interface GossipChoice {
  readonly items: readonly Omit<GossipItem, 'payload' | 'payloadType'>[];
  readonly next: number;
}

/** What became ready behind the cursor, and may be told to the peer who asks. */
export function gossipAfter({ ages }: PoolIndex, query: CheckedGossipQuery): GossipChoice {
  const { after, limit, except, hashesOnly } = query;
  const items: GossipChoice['items'][number][] = [];
  let next = after;
  let bytes = 0;
  for (const { hash, entry } of ages.gossip.list.after(after)) {
    if (items.length >= limit) break;
    const { seq, gossipSeq, verdict, sources } = entry;
    const isToTell = verdict.propagate && (except === null || !sources.includes(except));
    if (isToTell && !hashesOnly) bytes += entry.bytes;
    if (bytes > maxPageBytes && items.length > 0) break;
    next = gossipSeq;
    if (!isToTell) continue;
    items.push({ hash, seq, gossipSeq, bytes: entry.bytes, gas: verdict.gas, priority: verdict.priority });
  }
  return { items, next };
}

export function gossipWithoutPayloads({ items, next }: GossipChoice): GossipPage {
  return { items: items.map((item) => ({ ...item, payload: null, payloadType: null })), next };
}
