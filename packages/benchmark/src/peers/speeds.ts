import { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import { inTurn, type Measure, timed } from '../goals/measure.ts';
import { batches, freshTransactions, hashesOf } from '../setup/samples.ts';
import { altoMemory, altoRedis } from './alto.ts';
import { beeQueue } from './bee-queue.ts';
import { bullmq, bullmqByCallers } from './bullmq.ts';
import { ethereumjs } from './ethereumjs.ts';
import { original } from './original.ts';
import { ourBackend, ours, oursByCallers, oursByPriority } from './ours.ts';
import type { Peer, PeerStore } from './peer.ts';

/** How many times as fast as the peer ours is. */
export interface PeerMeasure extends Measure {
  readonly peer: Peer;
}

export interface SpeedOptions {
  readonly redisUrl: string;
  /** Where the peers are installed. */
  readonly folder: string;
  /** A peer whose round takes longer is stopped; default a minute. */
  readonly longestRoundMs?: number;
}

/** Lets one call through, and none once the round has taken too long. */
type Caller = <T>(run: () => Promise<T>) => Promise<T>;
/** What is timed: the transactions are new each time, and the store is empty before. */
type Work = (store: PeerStore, transactions: readonly Transaction[], call: Caller) => Promise<void>;

const callSize = 100;
const big = 10_000;
const small = [1_000];
/** For the goals of the design. */
const smallAndBig = [1_000, big];
/** An addition to Alto costs more the more it holds: above this number a round takes many seconds. */
const growing = [1_000, 2_500];
let places = 0;

const add: Work = async (store, transactions, call) => {
  for (const batch of batches(transactions, callSize)) await call(() => store.add(batch));
};

const life: Work = async (store, transactions, call) => {
  await add(store, transactions, call);
  const calls = batches(hashesOf(transactions), callSize);
  const { finish } = store;
  if (finish !== undefined) return void (await call(() => finish(calls.flat())));
  for (const hashes of calls) await call(() => store.take(hashes));
  for (const hashes of calls) await call(() => store.confirm(hashes));
};

/** Work, its name, ours and the peer, what ours ÷ the peer must be, and sizes. */
type Duel = readonly [work: Work, title: string, ours: Peer, peer: Peer, least: number, sizes: readonly number[]];

/** All comparisons, row by row: ours ÷ the peer, above 1 where ours is faster. */
export async function peerMeasures(options: SpeedOptions): Promise<PeerMeasure[]> {
  const [redis, ephemeral] = [await ourBackend('redis'), await ourBackend('ephemeral')];
  const [fifo, byFee] = [ours(redis), oursByPriority(redis)];
  const [fifoHere, byFeeHere] = [ours(ephemeral), oursByPriority(ephemeral)];
  const [whole, best] = ['add, in flight, confirm', 'add, best in flight, confirm'];
  const onRedis: readonly Duel[] = [
    [add, 'add', fifo, bullmq(64), 5, smallAndBig],
    [life, whole, fifo, bullmq(64), 4, smallAndBig],
    [life, whole, fifo, bullmq(1), 4, small],
    [life, whole, oursByCallers(redis, 64), bullmqByCallers(64), 1, small],
    [life, whole, oursByCallers(redis, 1), bullmqByCallers(1), 1, small],
    ...[beeQueue, altoRedis, original].flatMap((peer): Duel[] => [
      [add, 'add', fifo, peer, 1, small],
      [life, whole, fifo, peer, 1, small],
    ]),
    [add, 'add, sorted by fee', byFee, altoRedis, 1, small],
    [life, best, byFee, altoRedis, 1, small],
  ];
  const inMemory: readonly Duel[] = [
    ...[altoMemory, ethereumjs].flatMap((peer): Duel[] => [
      [add, 'add', fifoHere, peer, 1, growing],
      [life, whole, fifoHere, peer, 1, growing],
      [add, 'add, sorted by fee', byFeeHere, peer, 1, growing],
    ]),
    // Of the two only Alto chooses what goes in flight.
    [life, best, byFeeHere, altoMemory, 1, growing],
  ];
  const rows = (backend: string, duels: readonly Duel[]): PeerMeasure[] =>
    duels.flatMap((duel) => duel[5].map((n) => measureOf(backend, duel, n, options)));
  return [...rows('redis', onRedis), ...rows('ephemeral', inMemory)];
}

function measureOf(
  backend: string,
  [work, what, our, peer, least]: Duel,
  n: number,
  options: SpeedOptions,
): PeerMeasure {
  return {
    backend,
    title: `${what}, n = ${n.toLocaleString('en')}: ${our.name} against ${peer.name}`,
    peer,
    goal: { kind: 'at least', value: least },
    unit: '×',
    rounds: 7,
    warmups: n < big ? 2 : 1,
    sample: (round) =>
      inTurn(
        round,
        () => turn(peer, work, n, options),
        () => turn(our, work, n, options),
      ),
  };
}

/** One side's turn, on a server emptied before. */
async function turn(peer: Peer, work: Work, n: number, options: SpeedOptions): Promise<number> {
  const { redisUrl: url, folder, longestRoundMs = 60_000 } = options;
  const client = new Redis(url, { protocol: 2 });
  await client.flushdb('SYNC');
  client.disconnect();
  const transactions = freshTransactions(n);
  const store = await peer.open({ folder, url, name: `peer-${process.pid}-${places++}` });
  try {
    await store.prepare?.(transactions);
    const deadline = performance.now() + longestRoundMs;
    const call: Caller = (run) => {
      if (performance.now() > deadline) throw new Error(`${peer.name} was stopped: its round took too long`);
      return run();
    };
    return await timed(() => work(store, transactions, call));
  } finally {
    await store.close();
  }
}
