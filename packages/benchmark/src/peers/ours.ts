import {
  accountTag,
  type Capabilities,
  Mempool,
  type MempoolStore,
  type OpenOptions,
  type Policy,
  type Submission,
  type Transaction,
} from 'mempool-core';
import { freshPoint, hashesOf, hourMs } from '../setup/samples.ts';
import { loadSubject, subjectPath } from '../setup/subject.ts';
import { inLanes, type Peer, type PeerPlace } from './peer.ts';

/** A backend of ours that is opened at a given address, a proxy's for one. */
interface OurBackend {
  readonly capabilities: Pick<Capabilities, 'shared'>;
  open(options: OpenOptions & { readonly url?: string }): Promise<MempoolStore>;
}

/** @throws Error where the subject of that backend does not export the backend itself */
export async function ourBackend(name: 'redis' | 'ephemeral'): Promise<OurBackend> {
  const { backend } = await loadSubject(subjectPath(name));
  if (!('open' in backend)) throw new Error(`${name}: the subject has no backend`);
  return backend as OurBackend;
}

/** A confirmed transaction is final at once: a peer's job has no further life either. */
const atOnce: Policy = { finalizeThreshold: 1, dropThreshold: Number.POSITIVE_INFINITY };

function openStore(backend: OurBackend, { name, url }: PeerPlace, options?: OpenOptions): Promise<MempoolStore> {
  // A pool in memory takes no address.
  return backend.open({ ...options, pool: name, ...(backend.capabilities.shared && { url }) });
}

function confirmIn(store: Pick<MempoolStore, 'confirm'>, seen: readonly string[]): Promise<unknown> {
  return store.confirm({ point: freshPoint(), seen, unseen: [] }, atOnce);
}

function our(name: string, open: Peer['open']): Peer {
  return { name, package: null, lacks: 'nothing', open };
}

/** The store's verbs, each call with everything it is given. */
export function ours(backend: OurBackend): Peer {
  return our('ours, 100 a call', async (place) => {
    const store = await openStore(backend, place);
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
  });
}

/** `Mempool`'s verbs for one transaction, called by as many callers at once as `width`; blocks of that size. */
export function oursByCallers(backend: OurBackend, width: number): Peer {
  return our(width === 1 ? 'ours, all one at a time' : `ours, all ${width} at once`, async (place) => {
    const pool = new Mempool(await openStore(backend, place));
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
  });
}

/** The price of a transaction, and that it is the first of a sender of its own: what pools sorted by fee are told. */
function pricedFirst(transaction: Transaction): Submission {
  const sender = transaction.hash.slice(0, 40);
  const priority = BigInt(`0x${transaction.hash.slice(-8)}`);
  return { ...transaction, verdict: { priority, sender, provides: [accountTag(sender, 0)] } };
}

/** A priority pool: `take` gives out the best. */
export function oursByPriority(backend: OurBackend): Peer {
  return our('ours by priority, 100 a call', async (place) => {
    const store = await openStore(backend, place, { ordering: 'priority' });
    const priced = new Map<string, Submission>();
    return {
      async prepare(transactions) {
        for (const transaction of transactions) priced.set(transaction.hash, pricedFirst(transaction));
      },
      add: (transactions) => store.receive(transactions.map((one) => priced.get(one.hash) ?? pricedFirst(one))),
      async take(hashes) {
        const { transactions } = await store.take({ maxTxs: hashes.length }, { owner: 'benchmark', claimMs: hourMs });
        return hashesOf(transactions);
      },
      confirm: (hashes) => confirmIn(store, hashes),
      close: () => store.close(),
    };
  });
}
