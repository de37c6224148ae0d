import type { Redis } from 'ioredis';
import type { MempoolEvent, MempoolStore, Transaction } from 'mempool-core';
import type { BenchBackend } from '../limits/backend.ts';
import { hashBytes } from '../limits/limit.ts';
import { plainReads } from '../limits/redis.ts';
import { median } from '../report/spread.ts';
import { wallClock } from '../setup/clock.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { noServer } from '../setup/redis-server.ts';
import { batches, freshCalls, freshPoint, freshTransactions, hashesOf, never } from '../setup/samples.ts';
import { type BenchSubject, withPool } from '../setup/subject.ts';
import { FilledPool } from '../workloads/pools.ts';
import { inCalls } from '../workloads/workload.ts';
import { crowdGoals } from './crowd.ts';
import { grown } from './footprint.ts';
import { head, inTurn, type Measure, onEmptied, timed } from './measure.ts';
import { readGoals } from './reads.ts';
import { coalescingGoal, receiveGoal } from './receive.ts';

const originalKey = 'original';
let pools = 0;

export function redisGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  const { subject } = backend;
  if (context.redis === null) throw new Error(noServer);
  const redis = context.redis.client;
  return [
    receive(subject, redis),
    coalescingGoal(subject, 8, atMost(context, 1_000)),
    confirm(subject, redis, atMost(context, 100_000)),
    ...memory(subject, redis, context),
    ...scripts(subject, redis, atMost(context, 20_000)),
    ...readGoals(subject, {
      names: { page: 'plain ZRANGE and HMGET' },
      stored: atMost(context, 20_000),
      clock: wallClock,
      open: () => plainReads(redis),
    }),
    ...events(subject, atMost(context, 100_000)),
    ...crowdGoals(backend, redis, context, setsBy(redis)),
  ];
}

/** The limit: the payloads of a call, in one pipeline. */
function setsBy(redis: Redis): (call: readonly Transaction[]) => Promise<void> {
  return async (call) => {
    const pipeline = redis.pipeline();
    for (const { hash, payload } of call) pipeline.set(hashBytes(hash), Buffer.from(payload));
    await pipeline.exec();
  };
}

function receive(subject: BenchSubject, redis: Redis): Measure {
  const set = setsBy(redis);
  const title = 'receive by 100 ÷ pipelined SET of the same bytes';
  const limit = (calls: readonly Transaction[][]) => timed(() => inCalls(calls, set));
  const measured = head(subject, title, ['at least', 0.65], '×', 9);
  return onEmptied(redis, receiveGoal(measured, subject, { size: 100, count: 10_000, limit }));
}

/** A block as the original design applies it: every record in flight is read, changed and written, with a command for each. */
async function rewriteAll(redis: Redis): Promise<void> {
  for (const [hash, record] of Object.entries(await redis.hgetall(originalKey))) {
    const { age, ...rest } = JSON.parse(record) as { age: number };
    await redis.hset(originalKey, hash, JSON.stringify({ ...rest, age: age + 1 }));
  }
}

async function fillOriginal(redis: Redis, inflight: number): Promise<void> {
  for (const batch of freshCalls(inflight, freshTransactions)) {
    const fields = batch.flatMap(({ hash, payload }) => {
      const record = { age: 0, stage: 'Propagated', payload: Buffer.from(payload).toString('base64') };
      return [hash, JSON.stringify(record)];
    });
    await redis.hset(originalKey, ...fields);
  }
}

/** Median milliseconds of a block. */
async function blockMs(pool: FilledPool): Promise<number> {
  // Once before all of them: a collection before each would make a call of 1 ms several times as expensive.
  globalThis.gc?.();
  const each: number[] = [];
  for (const seen of batches(pool.stored.some(3_100), 100)) {
    const start = performance.now();
    await pool.confirm(seen);
    each.push(performance.now() - start);
  }
  return median(each);
}

function confirm(subject: BenchSubject, redis: Redis, inflight: number): Measure {
  const pool = new FilledPool(subject, inflight, 'inflight');
  const block = `confirm of a block of 100, ${inflight.toLocaleString('en')} in flight`;
  return {
    // Three rounds: the original takes many seconds for a block, and is thousands of times slower.
    ...head(subject, `the original design (rewrite every record) ÷ ${block}`, ['at least', 5_000], '×', 3),
    warmups: 0,
    async prepare() {
      await redis.flushdb('SYNC');
      await fillOriginal(redis, inflight);
      await pool.fill();
    },
    sample: (round) =>
      inTurn(
        round,
        () => timed(() => rewriteAll(redis)),
        () => blockMs(pool),
      ),
    async end() {
      await pool.close();
      await redis.del(originalKey);
    },
  };
}

type Mark = (store: MempoolStore, hashes: string[]) => unknown;

function memory(subject: BenchSubject, redis: Redis, context: BenchContext): Measure[] {
  const count = atMost(context, 50_000);
  const measure = (stage: string, most: number, mark: Mark): Measure => {
    const title = `memory per transaction beyond the payload, ${stage}, events included`;
    const grow = (store: MempoolStore): Promise<number> =>
      grown(context, 'server', count, {
        async fill(transactions) {
          await store.receive(transactions);
          await mark(store, hashesOf(transactions));
        },
      });
    const sample = () => withPool(subject, grow);
    return onEmptied(redis, { ...head(subject, title, ['at most', most], 'bytes', 1), sample });
  };
  return [
    measure('Pending', 450, () => undefined),
    measure('in flight', 600, (store, hashes) => store.markInflight(hashes)),
  ];
}

/** Median time of the scripts that `calls` run, as the server counts it. */
async function scriptMs(redis: Redis, calls: () => Promise<unknown>): Promise<number> {
  await redis.config('SET', 'slowlog-log-slower-than', '0');
  await redis.config('SET', 'slowlog-max-len', '100000');
  await redis.call('SLOWLOG', 'RESET');
  await calls();
  const entries = (await redis.call('SLOWLOG', 'GET', '-1')) as [number, number, number, string[]][];
  await redis.config('SET', 'slowlog-log-slower-than', '-1');
  const scripts = entries.filter(([, , , [command = '']]) => /^(evalsha|eval|fcall)$/i.test(command));
  return median(scripts.map(([, , micros]) => micros)) / 1_000;
}

function scripts(subject: BenchSubject, redis: Redis, inflight: number): Measure[] {
  const measure = (what: string, prepared: (store: MempoolStore) => Promise<() => Promise<unknown>>): Measure => {
    const sample = () => withPool(subject, async (store) => scriptMs(redis, await prepared(store)));
    const measured = head(subject, `script of ${what}, median as the server counts it`, ['at most', 1], 'ms', 7);
    return onEmptied(redis, { ...measured, sample });
  };
  return [
    measure('receive by 100', async (store) => {
      const calls = batches(freshTransactions(5_000), 100);
      return () => inCalls(calls, (call) => store.receive(call));
    }),
    measure(`a block of 100 seen + 100 unseen, ${inflight.toLocaleString('en')} in flight`, async (store) => {
      const hashes: string[] = [];
      for (const transactions of freshCalls(inflight, freshTransactions)) {
        await store.receive(transactions);
        await store.markInflight(hashesOf(transactions));
        hashes.push(...hashesOf(transactions));
      }
      const blocks = batches(hashes.slice(0, 4_000), 200);
      return () =>
        inCalls(blocks, (block) =>
          store.confirm({ point: freshPoint(), seen: block.slice(0, 100), unseen: block.slice(100) }, never),
        );
    }),
  ];
}

/** Hands over two nodes on a new pool. */
async function withNodes(
  subject: BenchSubject,
  work: (writer: MempoolStore, reader: MempoolStore) => Promise<number>,
): Promise<number> {
  const pool = `bench-nodes-${process.pid}-${pools++}`;
  const [writer, reader] = [await subject.open(pool), await subject.open(pool)];
  try {
    return await work(writer, reader);
  } finally {
    await Promise.all([writer.close(), reader.close()]);
    await subject.destroy?.(pool);
  }
}

/** Median milliseconds from before the call to the event at another node. */
async function eventLatency(writer: MempoolStore, reader: MempoolStore): Promise<number> {
  const events = (await reader.subscribe())[Symbol.asyncIterator]();
  const delays: number[] = [];
  for (const transaction of freshTransactions(200)) {
    const start = performance.now();
    await Promise.all([writer.receive([transaction]), events.next()]);
    delays.push(performance.now() - start);
  }
  return median(delays);
}

/** Reads the next `count` events. @returns how many of them were missed */
async function missedIn(stream: AsyncIterable<MempoolEvent>, count: number): Promise<number> {
  let missed = 0;
  let next = 1;
  for await (const event of stream) {
    missed += event.kind === 'lagged' ? event.missed : event.eventSeq - next;
    next = event.kind === 'lagged' ? next + event.missed : event.eventSeq + 1;
    if (next > count) break;
  }
  return missed;
}

function events(subject: BenchSubject, count: number): Measure[] {
  // The same runs give both figures.
  const counted: number[] = [];
  const run = () =>
    withNodes(subject, async (writer, reader) => {
      const calls = batches(freshTransactions(count), 500);
      const stream = await reader.subscribe();
      const milliseconds = await timed(async () => {
        const reading = missedIn(stream, count);
        await inCalls(calls, (call) => writer.receive(call));
        counted.push(await reading);
      });
      return (count / milliseconds) * 1_000;
    });
  const latency = head(subject, 'call to event at a second node, median', ['at most', 2], 'ms', 7);
  const speed = 'events a second through a second node, written and read';
  return [
    { ...latency, sample: () => withNodes(subject, eventLatency) },
    { ...head(subject, speed, ['at least', 50_000], 'events/s', 3), sample: run },
    {
      ...head(subject, 'events that it missed', ['at most', 0], 'missed', 3),
      warmups: 0,
      async sample() {
        if (counted.length === 0) await run();
        return counted.shift() ?? Number.NaN;
      },
    },
  ];
}
