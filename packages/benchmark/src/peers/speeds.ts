import { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import { head, inTurn, type Measure, timed } from '../goals/measure.ts';
import { batches, freshTransactions, hashesOf } from '../setup/samples.ts';
import { bullmq, bullmqByCallers } from './bullmq.ts';
import { ours, oursByCallers } from './ours.ts';
import type { Peer, PeerStore } from './peer.ts';

/** What is timed: the transactions are new each time, and the store is empty before. */
type Work = (store: PeerStore, transactions: readonly Transaction[]) => Promise<void>;

const callSize = 100;
let places = 0;

const add: Work = async (store, transactions) => {
  for (const batch of batches(transactions, callSize)) await store.add(batch);
};

const life: Work = async (store, transactions) => {
  await add(store, transactions);
  const calls = batches(hashesOf(transactions), callSize);
  for (const hashes of calls) await store.take(hashes);
  for (const hashes of calls) await store.confirm(hashes);
};

/** Work, its name, ours, the peer, what ours ÷ the peer must be, and sizes. A goal of 1 is "not slower". */
type Duel = readonly [work: Work, title: string, ours: Peer, peer: Peer, least: number, sizes: readonly number[]];

const whole = 'add, in flight, confirm';
const duels: readonly Duel[] = [
  [add, 'add', ours, bullmq(64), 5, [1_000, 10_000]],
  [life, whole, ours, bullmq(64), 4, [1_000, 10_000]],
  [life, whole, oursByCallers(64), bullmqByCallers(64), 1, [1_000]],
  [life, whole, oursByCallers(1), bullmqByCallers(1), 1, [1_000]],
];

/** All comparisons, row by row: ours ÷ the peer, above 1 where ours is faster. */
export function peerMeasures(url: string): Measure[] {
  return duels.flatMap(([work, what, our, peer, least, sizes]) =>
    sizes.map((n) => ({
      ...head({ name: peer.name }, `${what}, n = ${n.toLocaleString('en')}: ${our.name}`, ['at least', least], '×', 7),
      warmups: 2,
      sample: (round) =>
        inTurn(
          round,
          () => turn(peer, work, n, url),
          () => turn(our, work, n, url),
        ),
    })),
  );
}

/** One side's turn, on a server emptied before. */
async function turn(peer: Peer, work: Work, n: number, url: string): Promise<number> {
  const client = new Redis(url, { protocol: 2 });
  await client.flushdb('SYNC');
  client.disconnect();
  const transactions = freshTransactions(n);
  const store = await peer.open({ url, name: `peer-${process.pid}-${places++}` });
  try {
    return await timed(() => work(store, transactions));
  } finally {
    await store.close();
  }
}
