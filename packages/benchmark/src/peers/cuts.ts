import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from 'mempool-core';
import { startProxy } from 'mempool-testkit';
import { table } from '../report/format.ts';
import { freshTransactions, hashesOf } from '../setup/samples.ts';
import { type Census, inLanes, type Peer, type PeerStore } from './peer.ts';

const steps = ['add', 'in flight', 'confirm'] as const;
type Step = (typeof steps)[number];

const cuts = 50;
const cutsAtOnce = 10;
const transactionsEach = 3;
/** A client that reconnects by itself has done so by then. */
const answerMs = 5_000;
let places = 0;

export const cutNote: string = [
  'Each step is asked for one transaction, and its connection is cut after the server ran the command and before the reply.',
  'A caller that gets an error tries once more. Doubled is a second copy, or a second transaction taken for one call.',
  'Held by nobody is in flight with no caller that knows: a running BullMQ worker gives it back after 30 seconds.',
].join('\n');

/** Cuts the connection before a reply, again and again, and counts what doubled or got lost. @returns a table */
export async function cutTable(url: string, peers: readonly Peer[]): Promise<string> {
  const lines: string[][] = [];
  for (const peer of peers)
    for (const step of steps) {
      const verdicts = await inLanes(cutsAtOnce, Array(cuts).fill(step), (each) => trial(peer, each, url));
      const counts = (['doubled', 'lost', 'unknown'] as const).map(
        (flag) => verdicts.filter((one) => one[flag]).length,
      );
      lines.push([peer.name, step, ...[cuts, ...counts].map(String)]);
    }
  return table(['store', 'step', 'cuts', 'doubled', 'lost or held by nobody', 'caller does not know'], lines);
}

async function trial(peer: Peer, step: Step, url: string): Promise<Verdict> {
  const proxy = await startProxy(url);
  const name = `cut-${process.pid}-${places++}`;
  const stores = await Promise.all([peer.open({ url: proxy.url, name }), peer.open({ url, name })]);
  try {
    const [store, witness] = stores;
    const transactions = freshTransactions(transactionsEach);
    const hashes = hashesOf(transactions);
    if (step !== 'add') await store.add(transactions);
    if (step === 'confirm') await store.take(hashes);
    const cut = proxy.cutNext('before the reply');
    const told = await answerOf(() => firstOnly(step, store, transactions.slice(0, 1)));
    await cut;
    const census = await witness.census?.();
    if (census === undefined) throw new Error(`${peer.name} cannot say what it holds`);
    return judge({ step, hashes, told, census });
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
interface Aftermath {
  readonly step: Step;
  /** All transactions of the trial; the step was asked for the first alone. */
  readonly hashes: readonly string[];
  /** The caller's answer, after a second try; `null` for an error or no answer. */
  readonly told: readonly string[] | null;
  readonly census: Census;
}

interface Verdict {
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
