import { setImmediate as turn } from 'node:timers/promises';
import type { MempoolStore, ReceiveOutcome } from 'mempool-core';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { batches, pricedTransactions } from '../setup/samples.ts';
import { checkAdmitted, FilledPool } from '../workloads/pools.ts';
import { Crew } from './crew.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

const program = new URL('./reaper-node.ts', import.meta.url);
const reaped = 1_000;
const callSize = 100;

/** Reaps a pool again and again. */
export interface Reaper {
  reap(): Promise<unknown>;
  /** @returns how often it reaped since `reap` */
  rest(): Promise<number>;
  end(): Promise<unknown>;
}

/** On the caller's own store, once in each turn of the event loop. */
export function reaperHere(store: MempoolStore, count: number): Reaper {
  let isResting = true;
  let reaping: Promise<number> = Promise.resolve(0);
  const reapOn = async (): Promise<number> => {
    for (let times = 0; ; times++) {
      if (isResting) return times;
      await store.reap({ maxTxs: count });
      await turn();
    }
  };
  return {
    async reap() {
      isResting = false;
      reaping = reapOn();
    },
    rest() {
      isResting = true;
      return reaping;
    },
    end: async () => undefined,
  };
}

/** In a process of its own, which opens the same pool. */
export async function reaperBeside(path: string, pool: string, count: number): Promise<Reaper> {
  const crew = new Crew<Pick<Reaper, 'reap' | 'rest'>>(program, 1, path, pool, String(count));
  await crew.begin();
  return {
    reap: () => crew.tell('reap'),
    rest: async () => (await crew.tell('rest'))[0] ?? 0,
    end: () => crew.end(),
  };
}

/** What goes on while admission is timed. */
type Company = (work: () => Promise<number>) => Promise<number>;

const alone: Company = (work) => work();

function besideReaping(reaper: Reaper): Company {
  return async (work) => {
    await reaper.reap();
    const milliseconds = await work();
    if ((await reaper.rest()) === 0) throw new Error('nobody reaped meanwhile');
    return milliseconds;
  };
}

/** Milliseconds of admission call by call, each in a turn of the event loop, so that others have theirs. */
async function admission(pool: FilledPool, count: number, company: Company): Promise<number> {
  const transactions = pricedTransactions(count);
  const outcomes: ReceiveOutcome[][] = [];
  const receiveAll = async (): Promise<void> => {
    for (const call of batches(transactions, callSize)) {
      outcomes.push(await pool.store.receive(call));
      await turn();
    }
  };
  const milliseconds = await company(() => timed(receiveAll));
  checkAdmitted(outcomes.flat());
  await pool.drop(transactions);
  return milliseconds;
}

/** What endless reaping costs a writer: from another process where a pool can be shared, else from its own. */
export function reapingGoal({ subject, path }: BenchBackend, context: BenchContext): Measure {
  const n = atMost(context, 100_000);
  const count = atMost(context, 3_000);
  const pool = new FilledPool(subject, n, 'priority');
  const { shared } = subject.backend.capabilities;
  const busy = `receive by 100 while ${shared ? 'another process' : 'the same one'} reaps 1,000 without end`;
  let reaper: Reaper | undefined;
  return {
    ...head(subject, `${busy} ÷ receive by 100, n = ${n.toLocaleString('en')}`, ['at most', 4 / 3], '×', 9),
    warmups: 2,
    async prepare() {
      await pool.fill();
      reaper = shared ? await reaperBeside(path, pool.name, reaped) : reaperHere(pool.store, reaped);
    },
    async sample(round) {
      if (reaper === undefined) throw new Error('not prepared');
      const company = besideReaping(reaper);
      return await inTurn(
        round,
        () => admission(pool, count, company),
        () => admission(pool, count, alone),
      );
    },
    async end() {
      await reaper?.end();
      await pool.close();
    },
  };
}
