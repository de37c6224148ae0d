import type { Backend, Mempool, Policy } from 'mempool-core';
import { freshPoint, hashesOf } from '../setup/samples.ts';
import { loadSubject, subjectPath } from '../setup/subject.ts';
import { inLanes, type Peer, type PeerPlace } from './peer.ts';

/** A confirmed transaction is final at once: a peer's job has no further life either. */
const atOnce: Policy = { finalizeThreshold: 1, dropThreshold: Number.POSITIVE_INFINITY };

/** At the address of the place, which may be a proxy's. */
async function openStore({ url, name: pool }: PeerPlace): Promise<Mempool> {
  const { backend } = await loadSubject(subjectPath('redis'));
  return (backend as Backend<{ readonly url: string }>).open({ pool, url });
}

function confirmIn(store: Pick<Mempool, 'confirm'>, seen: readonly string[]): Promise<unknown> {
  return store.confirm({ point: freshPoint(), seen, unseen: [] }, atOnce);
}

/** The store's verbs, each call with everything it is given. */
export const ours: Peer = {
  name: 'ours, 100 a call',
  async open(place) {
    const store = await openStore(place);
    return {
      add: (transactions) => store.receive(transactions),
      take: (hashes) => store.markInflight(hashes),
      confirm: (hashes) => confirmIn(store, hashes),
      census: async () => ({
        waiting: hashesOf((await store.peekPending()).transactions),
        inflight: hashesOf((await store.peekInflight()).transactions),
        done: (await store.dumpFinalized()).entries.map(({ hash }) => hash),
      }),
      close: () => store.close(),
    };
  },
};

/** `Mempool`'s verbs for one transaction, called by as many callers at once as `width`; blocks of that size. */
export function oursByCallers(width: number): Peer {
  const open: Peer['open'] = async (place) => {
    const pool = await openStore(place);
    return {
      add: (transactions) => inLanes(width, transactions, (transaction) => pool.submit(transaction)),
      async take(hashes) {
        const moved = await inLanes(width, hashes, (hash) => pool.markInflight(hash));
        return hashes.filter((_, i) => moved[i]);
      },
      async confirm(hashes) {
        for (let start = 0; start < hashes.length; start += width)
          await confirmIn(pool, hashes.slice(start, start + width));
      },
      close: () => pool.close(),
    };
  };
  return { name: width === 1 ? 'ours, all one at a time' : `ours, all ${width} at once`, open };
}
