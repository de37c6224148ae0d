import type { Transaction } from 'mempool-core';
import { freshTransactions, hashesOf } from '../workloads/sample.ts';
import { inLanes, type Peer, type PeerPlace, type PeerStore } from './peer.ts';
import { type CutProxy, startCutProxy } from './proxy.ts';
import { judge, type Step, steps, type Verdict } from './verdict.ts';

/** How a peer came through the cuts of one step. */
export type CutRow =
  | {
      readonly kind: 'counted';
      readonly peer: string;
      readonly step: Step;
      readonly cuts: number;
      readonly doubled: number;
      readonly lost: number;
      readonly unknown: number;
    }
  | { readonly kind: 'not run'; readonly peer: string; readonly step: Step; readonly reason: string };

export interface CorrectnessOptions {
  readonly redisUrl: string;
  /** Where the peers are installed. */
  readonly folder: string;
  readonly peers: readonly Peer[];
  /** Cut connections for each step of each peer; default 50. */
  readonly cuts?: number;
  /** Chooses the replies that are lost. */
  readonly seed: number;
}

const transactionsEach = 3;
const trialsAtOnce = 50;
/** A client that connects again by itself has done so by then. */
const answerMs = 5_000;
let places = 0;

/** Cuts the connection before a reply, again and again, and counts what doubled or got lost. Keys begin with `cut-`. */
export async function peerCorrectness(options: CorrectnessOptions): Promise<CutRow[]> {
  const rows: CutRow[] = [];
  for (const peer of options.peers)
    for (const step of steps)
      rows.push(
        await cutRow(peer, step, options).catch((error: Error): CutRow => {
          return { kind: 'not run', peer: peer.name, step, reason: error.message };
        }),
      );
  return rows;
}

async function cutRow(peer: Peer, step: Step, options: CorrectnessOptions): Promise<CutRow> {
  const { redisUrl: url, folder, cuts = 50, seed } = options;
  const place = (): PeerPlace => ({ folder, url, name: `cut-${process.pid}-${places++}` });
  const { replies } = await trial(peer, step, place(), 0);
  const random = randomOf(seed);
  const chosen = Array.from({ length: cuts }, () => 1 + Math.floor(random() * replies));
  const verdicts = await inLanes(trialsAtOnce, chosen, (reply) => cutTrial(peer, step, place, reply));
  const count = (flag: keyof Verdict): number => verdicts.filter((verdict) => verdict[flag]).length;
  const counts = { doubled: count('doubled'), lost: count('lost'), unknown: count('unknown') };
  return { kind: 'counted', peer: peer.name, step, cuts, ...counts };
}

/** Replies that arrive together count as one, so that a late one may not come: then an earlier one is cut. */
async function cutTrial(peer: Peer, step: Step, place: () => PeerPlace, reply: number): Promise<Verdict> {
  for (let wanted = reply; wanted > 0; wanted--) {
    const { verdict, cut } = await trial(peer, step, place(), wanted);
    if (cut) return verdict;
  }
  throw new Error('no reply could be cut');
}

interface Trial {
  readonly verdict: Verdict;
  readonly cut: boolean;
  readonly replies: number;
}

async function trial(peer: Peer, step: Step, place: PeerPlace, reply: number): Promise<Trial> {
  const proxy = await startCutProxy(place.url);
  const stores = await Promise.all([peer.open({ ...place, url: proxy.url }), peer.open(place)]);
  try {
    const [store, witness] = stores;
    const transactions = freshTransactions(transactionsEach);
    const hashes = hashesOf(transactions);
    await before(step, store, transactions);
    const told = await tell(proxy, reply, () => take(step, store, transactions));
    const census = await witness.census?.();
    if (census === undefined) throw new Error(`${peer.name} cannot say what it holds`);
    return { verdict: judge({ step, hashes, told, census }), cut: proxy.cut, replies: proxy.replies };
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await proxy.close();
  }
}

/** Brings the transactions to where the step begins. */
async function before(step: Step, store: PeerStore, transactions: readonly Transaction[]): Promise<void> {
  if (step === 'add') return;
  await store.add(transactions);
  if (step === 'confirm') await store.take(hashesOf(transactions));
}

/** The step, for the first transaction alone. @returns what the caller is told of */
async function take(step: Step, store: PeerStore, transactions: readonly Transaction[]): Promise<readonly string[]> {
  const first = transactions.slice(0, 1);
  const hashes = hashesOf(first);
  switch (step) {
    case 'add':
      await store.add(first);
      return hashes;
    case 'in flight':
      return store.take(hashes);
    case 'confirm':
      await store.confirm(hashes);
      return hashes;
  }
}

/** Calls with the proxy armed; a caller that is told of an error tries once more. `null` where it never knows. */
async function tell(
  proxy: CutProxy,
  reply: number,
  call: () => Promise<readonly string[]>,
): Promise<readonly string[] | null> {
  proxy.arm(reply);
  const answer = call()
    .catch(call)
    .catch(() => null);
  return within(answerMs, answer);
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, milliseconds, null);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Mulberry32: the same cuts for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
