import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from 'mempool-core';
import { Random, TcpRelay } from 'mempool-testkit';
import { freshTransactions, hashesOf } from '../setup/samples.ts';
import { type Census, inLanes, type Peer, type PeerPlace, type PeerStore } from './peer.ts';

const steps = ['add', 'in flight', 'confirm'] as const;
type Step = (typeof steps)[number];

/** How a peer came through the cuts of one step, or why it was not run. */
export type CutRow = { readonly peer: string; readonly step: Step } & (
  | {
      readonly kind: 'counted';
      readonly cuts: number;
      readonly doubled: number;
      readonly lost: number;
      readonly unknown: number;
    }
  | { readonly kind: 'not run'; readonly reason: string }
);

export interface CutOptions {
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
/** A client that reconnects by itself has done so by then. */
const answerMs = 5_000;
let places = 0;

/** Cuts the connection before a reply, again and again, and counts what doubled or got lost. Keys begin with `cut-`. */
export async function cutRows(options: CutOptions): Promise<CutRow[]> {
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

async function cutRow(peer: Peer, step: Step, { redisUrl, folder, cuts = 50, seed }: CutOptions): Promise<CutRow> {
  const run = (reply: number): Promise<Trial> =>
    trial(peer, step, { folder, url: redisUrl, name: `cut-${process.pid}-${places++}` }, reply);
  const { replies } = await run(0);
  const random = new Random(seed);
  const chosen = Array.from({ length: cuts }, () => 1 + random.below(replies));
  const verdicts = await inLanes(trialsAtOnce, chosen, async (reply) => {
    // Replies that arrive together count as one, so a late one may not come: then an earlier one is cut.
    for (let wanted = reply; wanted > 0; wanted--) {
      const { verdict, isCut } = await run(wanted);
      if (isCut) return verdict;
    }
    throw new Error('no reply could be cut');
  });
  const count = (flag: keyof Verdict): number => verdicts.filter((verdict) => verdict[flag]).length;
  const counts = { doubled: count('doubled'), lost: count('lost'), unknown: count('unknown') };
  return { kind: 'counted', peer: peer.name, step, cuts, ...counts };
}

let opening: Promise<unknown> = Promise.resolve();

/** Opens one relay after the other: two at once may find the same port free. */
function openRelay(...given: Parameters<typeof TcpRelay.open>): Promise<TcpRelay> {
  const relay = opening.then(() => TcpRelay.open(...given));
  opening = relay.catch(() => undefined);
  return relay;
}

/** A TCP proxy that loses one reply: the server has done its work, and the client does not hear of it. */
export async function startCutProxy(serverUrl: string) {
  const state = { cutAt: 0, replies: 0, isCut: false };
  const relay = await openRelay(
    () => new URL(serverUrl),
    (client, upstream) => {
      for (const [one, other] of [[client, upstream] as const, [upstream, client] as const])
        one.on('close', () => other.destroy());
      client.on('data', (request) => upstream.write(request));
      upstream.on('data', (reply) => {
        state.replies++;
        if (state.isCut || state.replies !== state.cutAt) return client.write(reply);
        state.isCut = true;
        client.destroy();
        return upstream.destroy();
      });
    },
  );
  return {
    state,
    url: `redis://127.0.0.1:${relay.port}`,
    /** Cuts the connection before this reply from now, the first being 1, is passed on; 0 only counts. */
    arm: (cutAt: number) => Object.assign(state, { cutAt, replies: 0, isCut: false }),
    close: () => relay.close(),
  };
}

interface Trial {
  readonly verdict: Verdict;
  readonly isCut: boolean;
  readonly replies: number;
}

async function trial(peer: Peer, step: Step, place: PeerPlace, reply: number): Promise<Trial> {
  const proxy = await startCutProxy(place.url);
  const stores = await Promise.all([peer.open({ ...place, url: proxy.url }), peer.open(place)]);
  try {
    const [store, witness] = stores;
    const transactions = freshTransactions(transactionsEach);
    const hashes = hashesOf(transactions);
    if (step !== 'add') await store.add(transactions);
    if (step === 'confirm') await store.take(hashes);
    proxy.arm(reply);
    const told = await answerOf(() => firstOnly(step, store, transactions.slice(0, 1)));
    const census = await witness.census?.();
    if (census === undefined) throw new Error(`${peer.name} cannot say what it holds`);
    return { verdict: judge({ step, hashes, told, census }), ...proxy.state };
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await proxy.close();
  }
}

/** The step, for one transaction. @returns the hashes that the caller is told of */
async function firstOnly(step: Step, store: PeerStore, first: readonly Transaction[]): Promise<readonly string[]> {
  const hashes = hashesOf(first);
  if (step === 'in flight') return store.take(hashes);
  await (step === 'add' ? store.add(first) : store.confirm(hashes));
  return hashes;
}

/** A caller that gets an error tries once more. `null` where it never knows. */
function answerOf(call: () => Promise<readonly string[]>): Promise<readonly string[] | null> {
  const late = sleep(answerMs, null, { ref: false });
  return Promise.race([call().catch(call), late]).catch(() => null);
}

/** What one cut connection left behind. */
export interface Aftermath {
  readonly step: Step;
  /** All transactions of the trial; the step was asked for the first alone. */
  readonly hashes: readonly string[];
  /** The caller's answer, after a second try; `null` for an error or no answer. */
  readonly told: readonly string[] | null;
  readonly census: Census;
}

export interface Verdict {
  /** Done more than once, or to more than was asked. */
  readonly doubled: boolean;
  /** Gone, not done although the caller was told so, or in flight with no caller that knows. */
  readonly lost: boolean;
  /** The caller does not know whether it was done. */
  readonly unknown: boolean;
}

/** How the store compares with what the caller asked for and was told. */
export function judge({ step, hashes, told, census }: Aftermath): Verdict {
  const { waiting, inflight, done } = census;
  const everywhere = [...waiting, ...inflight, ...done];
  const isTwice = new Set(everywhere).size < everywhere.length;
  const unknown = told === null;
  const [asked, ...others] = hashes as [string, ...string[]];
  switch (step) {
    case 'add':
      return { doubled: isTwice, lost: everywhere.length === 0, unknown };
    case 'in flight': {
      const isGone = hashes.some((hash) => !everywhere.includes(hash));
      const isUnheld = inflight.some((hash) => !told?.includes(hash));
      return { doubled: isTwice || inflight.length > 1, lost: isGone || isUnheld || told?.length === 0, unknown };
    }
    case 'confirm': {
      const isUndone = told !== null && inflight.includes(asked);
      return { doubled: isTwice, lost: isUndone || !others.every((hash) => inflight.includes(hash)), unknown };
    }
  }
}
