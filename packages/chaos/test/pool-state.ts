import { createHash } from 'node:crypto';
import type { Mempool, MempoolEvent } from 'mempool-core';
import { comparable } from 'mempool-testkit';

/** All events of a pool from its first on. */
export async function poolEvents(store: Mempool): Promise<MempoolEvent[]> {
  const { lastEventSeq } = await store.usage();
  const events: MempoolEvent[] = [];
  if (lastEventSeq === 0) return events;
  for await (const event of await store.subscribe({ after: 'origin' })) {
    events.push(event);
    if (events.length === lastEventSeq) break;
  }
  return events;
}

/** All that can be read of a small pool, as one hash. */
export async function poolDigest(store: Mempool): Promise<string> {
  const contents = {
    events: (await poolEvents(store)).map(withoutLeader),
    usage: await store.usage(),
    tip: await store.tip({ points: 1_000 }),
    pending: (await store.peekPending({ limit: 1_000 })).transactions,
    inflight: (await store.peekInflight({ limit: 1_000 })).transactions,
    log: await store.dumpFinalized({ limit: 1_000 }),
  };
  return createHash('sha256')
    .update(JSON.stringify(comparable(contents)))
    .digest('hex');
}

/** A single node applies the same blocks without a lease. */
function withoutLeader(event: MempoolEvent): MempoolEvent {
  return event.kind === 'block' ? { ...event, nodeId: null, term: null } : event;
}
