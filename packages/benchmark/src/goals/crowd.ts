import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { batches, freshTransactions } from '../setup/samples.ts';
import { inCalls } from '../workloads/workload.ts';
import { Crew } from './crew.ts';
import type { CrowdVerbs } from './crowd-node.ts';
import { head, inTurn, type Measure, onEmptied, timed } from './measure.ts';

const program = new URL('./crowd-node.ts', import.meta.url);

const writers = 8;
const readers = 5;
const subscriptions = 50;
const eventsASecond = 1_000;
const phaseMs = 2_000;
const stepMs = 10;

let pools = 0;

/** What many processes on one server reach together, and what their subscriptions cost it. */
export function crowdGoals(
  backend: BenchBackend,
  redis: Redis,
  context: BenchContext,
  set: (call: readonly Transaction[]) => Promise<void>,
): Measure[] {
  const writing = manyWriters(backend, atMost(context, 16_000), set);
  return [writing, manySubscriptions(backend, redis)].map((measure) => onEmptied(redis, measure));
}

function manyWriters(
  { subject, path }: BenchBackend,
  count: number,
  set: (call: readonly Transaction[]) => Promise<void>,
): Measure {
  const crowd = new Crew<CrowdVerbs>(program, writers, path, `bench-crowd-${process.pid}-${pools++}`);
  const title = `receive by 100 in ${writers} processes together ÷ one stream of pipelined SET of the same bytes`;
  return {
    ...head(subject, title, ['at least', 0.6], '×', 7),
    prepare: () => crowd.begin(),
    async sample(round) {
      const limit = batches(freshTransactions(count), 100);
      await crowd.tell('open', 1);
      await crowd.tell('prepare', count / writers);
      const ratio = await inTurn(
        round,
        () => timed(() => inCalls(limit, set)),
        () => timed(() => crowd.tell('write')),
      );
      await crowd.tell('close');
      return ratio;
    },
    end: () => crowd.end(),
  };
}

function manySubscriptions({ subject, path }: BenchBackend, redis: Redis): Measure {
  const pool = `bench-crowd-${process.pid}-${pools++}`;
  const crowd = new Crew<CrowdVerbs>(program, readers, path, pool);
  const allSeen = async () => (await crowd.tell('seen')).reduce((sum, seen) => sum + seen, 0);
  const title = `server time of ${subscriptions} subscriptions in ${readers} processes ÷ time, at ${eventsASecond.toLocaleString('en')} events a second`;
  return {
    ...head(subject, title, ['at most', 0.1], '×', 3),
    warmups: 1,
    prepare: () => crowd.begin(),
    async sample() {
      const writer = await subject.open(pool);
      const write = (call: Transaction): Promise<unknown> => writer.receive([call]);
      const alone = await serverShare(redis, write);
      await crowd.tell('open', subscriptions / readers);
      await crowd.tell('subscribe');
      await pause(500);
      const before = await allSeen();
      const beside = await serverShare(redis, write);
      await pause(500);
      const seen = (await allSeen()) - before;
      await crowd.tell('close');
      await writer.close();
      const expected = (subscriptions * eventsASecond * phaseMs) / 1_000;
      if (seen !== expected) throw new Error(`${seen} of ${expected} events were delivered`);
      return beside - alone;
    },
    end: () => crowd.end(),
  };
}

/**
 * The part of the time for which the server works, while transactions arrive at an even pace, each in a call of its own. Where the
 * machine cannot keep the pace, the same work is held against the time that it should have taken.
 */
async function serverShare(redis: Redis, write: (transaction: Transaction) => Promise<unknown>): Promise<number> {
  const steps = phaseMs / stepMs;
  const transactions = batches(freshTransactions((eventsASecond * phaseMs) / 1_000), (eventsASecond * stepMs) / 1_000);
  const cpu = await serverSeconds(redis);
  const start = performance.now();
  for (let step = 0; step < steps; step += 1) {
    await Promise.all((transactions[step] ?? []).map(write));
    await pause(Math.max(0, start + (step + 1) * stepMs - performance.now()));
  }
  return ((await serverSeconds(redis)) - cpu) / (phaseMs / 1_000);
}

/** The processor time that the server has used. */
async function serverSeconds(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const part = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return part('used_cpu_user') + part('used_cpu_sys');
}
