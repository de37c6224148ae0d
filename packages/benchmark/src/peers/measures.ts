import { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import { inTurn, type Measure, timed } from '../runner/measure.ts';
import { batches, freshTransactions, hashesOf } from '../workloads/sample.ts';
import { altoMemory } from './alto-memory.ts';
import { altoRedis } from './alto-redis.ts';
import { beeQueue } from './bee-queue.ts';
import { bullmq, bullmqByCallers } from './bullmq.ts';
import { ethereumjs } from './ethereumjs.ts';
import { original } from './original.ts';
import { ours, oursByCallers, oursByPriority, type PeerSubject } from './ours.ts';
import type { Peer, PeerPlace, PeerStore } from './peer.ts';

/** A row: how many times as fast as the peer ours is. */
export interface PeerMeasure extends Measure {
  readonly peer: Peer;
}

export interface PeerMeasureOptions {
  readonly redisUrl: string;
  /** Where the peers are installed. */
  readonly folder: string;
  readonly subjects: { readonly redis: PeerSubject; readonly ephemeral: PeerSubject };
  /** A peer whose round takes longer is stopped; default a minute. */
  readonly longestRoundMs?: number;
}

/** What is measured: transactions are new each time, the store is empty before. */
type Work = (store: PeerStore, transactions: readonly Transaction[], call: Caller) => Promise<void>;
/** Lets one call through, and none once the round has taken too long. */
type Caller = <T>(run: () => Promise<T>) => Promise<T>;

interface Duel {
  readonly what: string;
  readonly work: Work;
  readonly ours: Peer;
  readonly peer: Peer;
  readonly least: number;
  readonly sizes: readonly number[];
}

const callSize = 100;
const rounds = 7;
const big = 10_000;
const small = [1_000];
/** For the goals of the design. */
const smallAndBig = [1_000, big];
/** Alto's cost of an addition grows with what it holds: with more than this a round takes many seconds. */
const growing = [1_000, 2_500];

const add: Work = async (store, transactions, call) => {
  for (const batch of batches(transactions, callSize)) await call(() => store.add(batch));
};

const lifecycle: Work = async (store, transactions, call) => {
  await add(store, transactions, call);
  const { finish } = store;
  if (finish !== undefined) return void (await call(() => finish(hashesOf(transactions))));
  for (const hashes of batches(hashesOf(transactions), callSize)) await call(() => store.take(hashes));
  for (const hashes of batches(hashesOf(transactions), callSize)) await call(() => store.confirm(hashes));
};

/** What runs beside ours in this run, row by row; every row is ours ÷ the peer, above 1 where ours is faster. */
export function peerMeasures(options: PeerMeasureOptions): PeerMeasure[] {
  const { redis, ephemeral } = options.subjects;
  const rows = (backend: string, duels: readonly Duel[]): PeerMeasure[] =>
    duels.flatMap((duel) => duel.sizes.map((n) => measureOf(backend, duel, n, options)));
  return [...rows('redis', redisDuels(redis)), ...rows('ephemeral', memoryDuels(ephemeral))];
}

function redisDuels(subject: PeerSubject): Duel[] {
  const whole = ours(subject);
  const [alone, callers] = [oursByCallers(subject, 1), oursByCallers(subject, 64)];
  const byFee = oursByPriority(subject);
  const adds = { what: 'add', work: add, ours: whole };
  const lives = { what: 'add, in flight, confirm', work: lifecycle, ours: whole };
  return [
    { ...adds, peer: bullmq(64), least: 5, sizes: smallAndBig },
    { ...lives, peer: bullmq(64), least: 4, sizes: smallAndBig },
    { ...lives, peer: bullmq(1), least: 4, sizes: small },
    { ...lives, ours: callers, peer: bullmqByCallers(64), least: 1, sizes: small },
    { ...lives, ours: alone, peer: bullmqByCallers(1), least: 1, sizes: small },
    ...[beeQueue, altoRedis, original].flatMap((peer) => [
      { ...adds, peer, least: 1, sizes: small },
      { ...lives, peer, least: 1, sizes: small },
    ]),
    { what: 'add, sorted by fee', work: add, ours: byFee, peer: altoRedis, least: 1, sizes: small },
    { what: 'add, best in flight, confirm', work: lifecycle, ours: byFee, peer: altoRedis, least: 1, sizes: small },
  ];
}

function memoryDuels(subject: PeerSubject): Duel[] {
  const [byArrival, byFee] = [ours(subject), oursByPriority(subject)];
  const life = 'add, best in flight, confirm';
  return [
    ...[altoMemory, ethereumjs].flatMap((peer) => [
      { what: 'add', work: add, ours: byArrival, peer, least: 1, sizes: growing },
      { what: 'add, in flight, confirm', work: lifecycle, ours: byArrival, peer, least: 1, sizes: growing },
      { what: 'add, sorted by fee', work: add, ours: byFee, peer, least: 1, sizes: growing },
    ]),
    // Of the two only Alto chooses what goes in flight.
    { what: life, work: lifecycle, ours: byFee, peer: altoMemory, least: 1, sizes: growing },
  ];
}

function measureOf(backend: string, duel: Duel, n: number, options: PeerMeasureOptions): PeerMeasure {
  const { redisUrl: url, folder, longestRoundMs = 60_000 } = options;
  const place = (): PeerPlace => ({ folder, url, name: `peer-${process.pid}-${places++}` });
  const run = (peer: Peer) => turn(peer, place(), duel.work, n, longestRoundMs);
  return {
    backend,
    title: `${duel.what}, n = ${n.toLocaleString('en')}: ${duel.ours.name} against ${duel.peer.name}`,
    peer: duel.peer,
    goal: { kind: 'at least', value: duel.least },
    unit: '×',
    rounds,
    warmups: n < big ? 2 : 1,
    async sample(round) {
      const [mine, theirs] = await inTurn(
        round,
        () => run(duel.ours),
        () => run(duel.peer),
      );
      return theirs / mine;
    },
  };
}

let places = 0;

/** One side's turn, on a server emptied before. */
async function turn(peer: Peer, place: PeerPlace, work: Work, n: number, longestMs: number): Promise<number> {
  await empty(place.url);
  const transactions = freshTransactions(n);
  const store = await peer.open(place);
  try {
    await store.prepare?.(transactions);
    return await timed(() => work(store, transactions, callUntil(performance.now() + longestMs, peer)));
  } finally {
    await store.close();
  }
}

function callUntil(deadline: number, { name }: Peer): Caller {
  return (run) => {
    if (performance.now() > deadline) throw new Error(`${name} was stopped: its round took too long`);
    return run();
  };
}

async function empty(url: string): Promise<void> {
  const client = new Redis(url, { protocol: 2 });
  await client.flushdb('SYNC');
  client.disconnect();
}
