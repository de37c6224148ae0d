import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { batches, freshTransactions } from '../setup/samples.ts';
import { inCalls } from '../workloads/workload.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

const program = new URL('./crowd-node.ts', import.meta.url);

/** What a node of the crowd is told. It answers with a number. */
export type Told =
  | { readonly kind: 'open' | 'prepare'; readonly count: number }
  | { readonly kind: 'write' | 'subscribe' | 'seen' | 'close' };

/** Several processes on one pool. */
class Crowd {
  readonly #nodes: ChildProcess[];

  constructor(path: string, pool: string, size: number) {
    this.#nodes = Array.from({ length: size }, () => fork(program, [path, pool]));
  }

  /** Resolves when every process is there. */
  async begin(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => once(node, 'message')));
  }

  /** Tells all at once. @returns the sum of their answers */
  async tell(told: Told): Promise<number> {
    const answers = await Promise.all(
      this.#nodes.map(async (node) => {
        const answered = once(node, 'message');
        node.send(told);
        const [answer] = await answered;
        return Number(answer);
      }),
    );
    return answers.reduce((sum, answer) => sum + answer, 0);
  }

  async end(): Promise<void> {
    await Promise.all(
      this.#nodes.map((node) => {
        const gone = once(node, 'exit');
        node.kill('SIGKILL');
        return gone;
      }),
    );
  }
}

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
  return [manyWriters(backend, redis, atMost(context, 16_000), set), manySubscriptions(backend, redis)];
}

function manyWriters(
  { subject, path }: BenchBackend,
  redis: Redis,
  count: number,
  set: (call: readonly Transaction[]) => Promise<void>,
): Measure {
  const crowd = new Lazy(() => new Crowd(path, `bench-crowd-${process.pid}-${pools++}`, writers));
  const title = `receive by 100 in ${writers} processes together ÷ one stream of pipelined SET of the same bytes`;
  return {
    ...head(subject, title, ['at least', 0.6], '×', 7),
    prepare: () => crowd.value.begin(),
    async sample(round) {
      await redis.flushdb('SYNC');
      const limit = batches(freshTransactions(count), 100);
      await crowd.value.tell({ kind: 'open', count: 1 });
      await crowd.value.tell({ kind: 'prepare', count: count / writers });
      const ratio = await inTurn(
        round,
        () => timed(() => inCalls(limit, set)),
        () => timed(() => crowd.value.tell({ kind: 'write' })),
      );
      await crowd.value.tell({ kind: 'close' });
      return ratio;
    },
    end: () => crowd.value.end(),
  };
}

function manySubscriptions({ subject, path }: BenchBackend, redis: Redis): Measure {
  const pool = `bench-crowd-${process.pid}-${pools++}`;
  const crowd = new Lazy(() => new Crowd(path, pool, readers));
  const title = `server time of ${subscriptions} subscriptions in ${readers} processes ÷ time, at ${eventsASecond.toLocaleString('en')} events a second`;
  return {
    ...head(subject, title, ['at most', 0.1], '×', 3),
    warmups: 1,
    prepare: () => crowd.value.begin(),
    async sample() {
      await redis.flushdb('SYNC');
      const writer = await subject.open(pool);
      const write = (call: Transaction): Promise<unknown> => writer.receive([call]);
      const alone = await serverShare(redis, write);
      await crowd.value.tell({ kind: 'open', count: subscriptions / readers });
      await crowd.value.tell({ kind: 'subscribe' });
      await pause(500);
      const before = await crowd.value.tell({ kind: 'seen' });
      const beside = await serverShare(redis, write);
      await pause(500);
      const seen = (await crowd.value.tell({ kind: 'seen' })) - before;
      await crowd.value.tell({ kind: 'close' });
      await writer.close();
      const expected = (subscriptions * eventsASecond * phaseMs) / 1_000;
      if (seen !== expected) throw new Error(`${seen} of ${expected} events were delivered`);
      return beside - alone;
    },
    end: () => crowd.value.end(),
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

/** A value that is made when it is first needed. */
class Lazy<T> {
  readonly #make: () => T;
  #made: { readonly value: T } | null = null;

  constructor(make: () => T) {
    this.#make = make;
  }

  get value(): T {
    this.#made ??= { value: this.#make() };
    return this.#made.value;
  }
}
