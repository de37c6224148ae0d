import type { Redis } from 'ioredis';
import type { MempoolStore } from 'mempool-core';
import type { BenchBackend } from '../backends/backend.ts';
import { type BenchSubject, withPool } from '../backends/subject.ts';
import { median } from '../report/spread.ts';
import { atMost, type BenchContext } from '../runner/context.ts';
import { inTurn, type Measure, timed } from '../runner/measure.ts';
import { fillInflight } from '../workloads/fill.ts';
import { usedMemory } from '../workloads/footprint.ts';
import { never } from '../workloads/policy.ts';
import { FilledPool } from '../workloads/pool.ts';
import { batches, freshPoint, freshTransactions, hashesOf, payloadBytes } from '../workloads/sample.ts';
import { coalescing } from './shared.ts';

function receive(subject: BenchSubject, redis: Redis): Measure {
  return {
    backend: subject.name,
    title: 'receive by 100 ÷ pipelined SET of the same bytes',
    goal: { kind: 'at least', value: 0.65 },
    unit: '×',
    rounds: 9,
    mostRounds: 15,
    async sample(round) {
      await redis.flushdb('SYNC');
      const forLimit = batches(freshTransactions(10_000), 100);
      const forUs = batches(freshTransactions(10_000), 100);
      const set = async (): Promise<void> => {
        for (const batch of forLimit) {
          const pipeline = redis.pipeline();
          for (const { hash, payload } of batch) pipeline.set(Buffer.from(hash, 'hex'), Buffer.from(payload));
          await pipeline.exec();
        }
      };
      const [limit, ours] = await inTurn(
        round,
        () => timed(set),
        () =>
          withPool(subject, (store) =>
            timed(async () => {
              for (const batch of forUs) await store.receive(batch);
            }),
          ),
      );
      return limit / ours;
    },
  };
}

/** A block as the original design applies it: every record in flight is read, changed and written, one command for each. */
async function rewriteAll(redis: Redis, key: string): Promise<void> {
  for (const [hash, record] of Object.entries(await redis.hgetall(key))) {
    const { age, ...rest } = JSON.parse(record) as { age: number };
    await redis.hset(key, hash, JSON.stringify({ ...rest, age: age + 1 }));
  }
}

async function fillOriginal(redis: Redis, key: string, inflight: number): Promise<void> {
  for (const batch of batches(freshTransactions(inflight), 1_000)) {
    const fields = batch.flatMap(({ hash, payload }) => {
      const record = { age: 0, stage: 'Propagated', payload: Buffer.from(payload).toString('base64') };
      return [hash, JSON.stringify(record)];
    });
    await redis.hset(key, ...fields);
  }
}

/** Median milliseconds of a block. */
async function blockMs({ store, stored }: FilledPool): Promise<number> {
  // Once before them all: a collection before each would make a call of 1 ms several times as dear.
  globalThis.gc?.();
  const each: number[] = [];
  for (const seen of batches(stored.some(3_100), 100)) {
    const start = performance.now();
    await store.confirm({ point: freshPoint(), seen, unseen: [] }, never);
    each.push(performance.now() - start);
  }
  return median(each);
}

function confirm(subject: BenchSubject, redis: Redis, inflight: number): Measure {
  const pool = new FilledPool(subject, inflight);
  return {
    backend: subject.name,
    title: `the original design (rewrite every record) ÷ confirm of a block of 100, ${inflight.toLocaleString('en')} in flight`,
    goal: { kind: 'at least', value: 5_000 },
    unit: '×',
    // The original takes many seconds for a block, and is thousands of times dearer.
    rounds: 3,
    warmups: 0,
    async prepare() {
      await redis.flushdb('SYNC');
      await fillOriginal(redis, 'original', inflight);
      await pool.fill(inflight, 'inflight');
    },
    async sample(round) {
      const [original, block] = await inTurn(
        round,
        () => timed(() => rewriteAll(redis, 'original')),
        () => blockMs(pool),
      );
      return original / block;
    },
    async end() {
      await pool.close();
      await redis.del('original');
    },
  };
}

function memory(subject: BenchSubject, redis: Redis, count: number): Measure[] {
  const grow = async (store: MempoolStore, mark: (hashes: string[]) => Promise<unknown>): Promise<number> => {
    const before = await usedMemory(redis);
    let bytes = 0;
    for (let left = count; left > 0; left -= 1_000) {
      const transactions = freshTransactions(Math.min(left, 1_000));
      bytes += payloadBytes(transactions);
      await store.receive(transactions);
      await mark(hashesOf(transactions));
    }
    return ((await usedMemory(redis)) - before - bytes) / count;
  };
  const measure = (title: string, value: number, mark: (store: MempoolStore, hashes: string[]) => Promise<unknown>) =>
    ({
      backend: subject.name,
      title: `memory per transaction beyond the payload, ${title}, events included`,
      goal: { kind: 'at most', value },
      unit: 'bytes',
      rounds: 1,
      async sample() {
        await redis.flushdb('SYNC');
        return withPool(subject, (store) => grow(store, (hashes) => mark(store, hashes)));
      },
    }) satisfies Measure;
  return [
    measure('Pending', 450, async () => undefined),
    measure('in flight', 600, (store, hashes) => store.markInflight(hashes)),
  ];
}

/** Median time of the slowest script among `calls`, as the server counts it. */
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
  const goal = { kind: 'at most', value: 1 } as const;
  const common = { backend: subject.name, goal, unit: 'ms', rounds: 7 } as const;
  const sampled = (work: (store: MempoolStore) => Promise<() => Promise<unknown>>) => async () => {
    await redis.flushdb('SYNC');
    return withPool(subject, async (store) => scriptMs(redis, await work(store)));
  };
  return [
    {
      ...common,
      title: 'script of receive by 100, median as the server counts it',
      sample: sampled(async (store) => {
        const calls = batches(freshTransactions(5_000), 100);
        return async () => {
          for (const call of calls) await store.receive(call);
        };
      }),
    },
    {
      ...common,
      title: `script of a block of 100 seen + 100 unseen, ${inflight.toLocaleString('en')} in flight, median as the server counts it`,
      sample: sampled(async (store) => {
        const hashes = await fillInflight(store, inflight);
        const blocks = batches(hashes.slice(0, 4_000), 200);
        return async () => {
          for (const block of blocks)
            await store.confirm({ point: freshPoint(), seen: block.slice(0, 100), unseen: block.slice(100) }, never);
        };
      }),
    },
  ];
}

/** Milliseconds from before the call to the event at another node. */
async function eventLatency(subject: BenchSubject): Promise<number> {
  const pool = `bench-events-${process.pid}`;
  const [writer, reader] = [await subject.open(pool), await subject.open(pool)];
  const events = (await reader.subscribe())[Symbol.asyncIterator]();
  const delays: number[] = [];
  for (const transaction of freshTransactions(200)) {
    const start = performance.now();
    await Promise.all([writer.receive([transaction]), events.next()]);
    delays.push(performance.now() - start);
  }
  await Promise.all([writer.close(), reader.close()]);
  await subject.destroy?.(pool);
  return median(delays);
}

/** Events that a keeping-up reader on another node missed while a writer wrote as fast as it could. */
async function eventsMissed(subject: BenchSubject, count: number): Promise<{ missed: number; perSecond: number }> {
  const pool = `bench-stream-${process.pid}`;
  const [writer, reader] = [await subject.open(pool), await subject.open(pool)];
  const stream = await reader.subscribe();
  const calls = batches(freshTransactions(count), 500);
  let next = 1;
  let missed = 0;
  const milliseconds = await timed(async () => {
    const reading = (async () => {
      for await (const event of stream) {
        if (event.kind === 'lagged') missed += event.missed;
        else missed += event.eventSeq - next;
        next = event.kind === 'lagged' ? next + event.missed : event.eventSeq + 1;
        if (next > count) break;
      }
    })();
    for (const call of calls) await writer.receive(call);
    await reading;
  });
  await Promise.all([writer.close(), reader.close()]);
  await subject.destroy?.(pool);
  return { missed, perSecond: (count / milliseconds) * 1_000 };
}

function events(subject: BenchSubject, count: number): Measure[] {
  // Of the rounds of the one before: the same run tells both.
  const counted: number[] = [];
  return [
    {
      backend: subject.name,
      title: 'call to event at a second node, median',
      goal: { kind: 'at most', value: 2 },
      unit: 'ms',
      rounds: 7,
      sample: () => eventLatency(subject),
    },
    {
      backend: subject.name,
      title: 'events a second through a second node, written and read',
      goal: { kind: 'at least', value: 50_000 },
      unit: 'events/s',
      rounds: 3,
      async sample() {
        const { missed, perSecond } = await eventsMissed(subject, count);
        counted.push(missed);
        return perSecond;
      },
    },
    {
      backend: subject.name,
      title: 'events that it missed',
      goal: { kind: 'at most', value: 0 },
      unit: 'missed',
      rounds: 3,
      warmups: 0,
      sample: async () => counted.shift() ?? (await eventsMissed(subject, count)).missed,
    },
  ];
}

export function redisMeasures({ subject }: BenchBackend, redis: Redis, context: BenchContext): Measure[] {
  return [
    receive(subject, redis),
    coalescing(subject, 8, atMost(context, 1_000)),
    confirm(subject, redis, atMost(context, 100_000)),
    ...memory(subject, redis, atMost(context, 50_000)),
    ...scripts(subject, redis, atMost(context, 20_000)),
    ...events(subject, atMost(context, 100_000)),
  ];
}
