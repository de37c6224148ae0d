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
import { loadSubject } from '../backends/subject.ts';
import { freshPoint } from '../workloads/sample.ts';
import { inLanes, type Peer, type PeerPlace, type PeerStore } from './peer.ts';

/** A subject of the conformance suite whose backend is opened at an address given here, a proxy's for one. */
export interface PeerSubject {
  readonly name: string;
  readonly backend: {
    readonly capabilities: Pick<Capabilities, 'shared'>;
    open(options: OpenOptions & { readonly url?: string }): Promise<MempoolStore>;
  };
}

export async function loadPeerSubject(path: string): Promise<PeerSubject> {
  const subject: { readonly name: string; readonly backend?: object } = await loadSubject(path);
  if (!hasBackend(subject)) throw new Error(`${path} exports a subject without its backend`);
  return subject;
}

function hasBackend(subject: { readonly name: string; readonly backend?: object }): subject is PeerSubject {
  return subject.backend !== undefined && 'open' in subject.backend;
}

/** A confirmed transaction is final at once: a peer's job has no further life either. */
const atOnce: Policy = { finalizeThreshold: 1, dropThreshold: Number.POSITIVE_INFINITY };
const nothing = 'nothing';
const leaseMs = 3_600_000;

/** A pool in memory takes no address. */
function openStore({ backend }: PeerSubject, { name, url }: PeerPlace, options?: OpenOptions): Promise<MempoolStore> {
  return backend.open({ ...options, pool: name, ...(backend.capabilities.shared && { url }) });
}

function confirmIn(store: Pick<MempoolStore, 'confirm'>, seen: readonly string[]): Promise<unknown> {
  return store.confirm({ point: freshPoint(), seen, unseen: [] }, atOnce);
}

/** The store's verbs, each call with all it is given. */
export function ours(subject: PeerSubject): Peer {
  const open = async (place: PeerPlace): Promise<PeerStore> => {
    const store = await openStore(subject, place);
    return {
      add: (transactions) => store.receive(transactions),
      take: (hashes) => store.markInflight(hashes),
      confirm: (hashes) => confirmIn(store, hashes),
      census: async () => {
        const [waiting, inflight] = [await store.peekPending(), await store.peekInflight()];
        const { entries } = await store.dumpFinalized();
        return {
          waiting: waiting.map(({ hash }) => hash),
          inflight: inflight.map(({ hash }) => hash),
          done: entries.map(({ hash }) => hash),
        };
      },
      close: () => store.close(),
    };
  };
  return { name: 'ours, 100 a call', package: null, lacks: nothing, open };
}

/** `Mempool`'s verbs for one transaction, called by as many callers at once as `width`; blocks of that size. */
export function oursByCallers(subject: PeerSubject, width: number): Peer {
  const open = async (place: PeerPlace): Promise<PeerStore> => {
    const pool = new Mempool(await openStore(subject, place));
    return {
      add: (transactions) => inLanes(width, transactions, (transaction) => pool.submit(transaction)),
      take: async (hashes) => {
        const moved = await inLanes(width, hashes, (hash) => pool.markInflight(hash));
        return hashes.filter((_, i) => moved[i]);
      },
      confirm: async (hashes) => {
        for (let start = 0; start < hashes.length; start += width)
          await confirmIn(pool, hashes.slice(start, start + width));
      },
      close: () => pool.close(),
    };
  };
  return {
    name: width === 1 ? 'ours, all one at a time' : `ours, all ${width} at once`,
    package: null,
    lacks: nothing,
    open,
  };
}

/** What pools sorted by fee are told of a transaction: a price, and that it is the first of a sender of its own. */
function pricedFirst(transaction: Transaction): Submission {
  const sender = transaction.hash.slice(0, 40);
  const priority = BigInt(`0x${transaction.hash.slice(-8)}`);
  return { ...transaction, verdict: { priority, sender, provides: [accountTag(sender, 0)] } };
}

/** A priority pool: the best of what was added is taken, under a lease. */
export function oursByPriority(subject: PeerSubject): Peer {
  const open = async (place: PeerPlace): Promise<PeerStore> => {
    const store = await openStore(subject, place, { ordering: 'priority' });
    const priced = new Map<string, Submission>();
    const submission = (transaction: Transaction): Submission =>
      priced.get(transaction.hash) ?? pricedFirst(transaction);
    return {
      async prepare(transactions) {
        for (const transaction of transactions) priced.set(transaction.hash, pricedFirst(transaction));
      },
      add: (transactions) => store.receive(transactions.map(submission)),
      async take(hashes) {
        const lease = { owner: 'benchmark', leaseMs };
        const { transactions } = await store.take({ maxTxs: hashes.length }, lease);
        return transactions.map(({ hash }) => hash);
      },
      confirm: (hashes) => confirmIn(store, hashes),
      close: () => store.close(),
    };
  };
  return { name: 'ours by priority, 100 a call', package: null, lacks: nothing, open };
}
