import { setImmediate as turn } from 'node:timers/promises';
import type { BenchBackend } from '../backends/backend.ts';
import { atMost, type BenchContext } from '../runner/context.ts';
import { inTurn, type Measure, timed } from '../runner/measure.ts';
import { Admission, RankedPool } from '../workloads/ranked-pool.ts';
import { pricedTransactions } from '../workloads/ranked-sample.ts';
import { dropAll } from '../workloads/receive.ts';
import { batches } from '../workloads/sample.ts';
import { type Reaper, reaperBeside, reaperHere } from './reaper.ts';

const reaped = 1_000;
const filled = 100_000;
const perRound = 3_000;
const callSize = 100;

/** What goes on while admission is timed. */
type Company = (work: () => Promise<number>) => Promise<number>;

const alone: Company = (work) => work();

function reapedBy(reaper: Reaper): Company {
  return async (work) => {
    await reaper.reap();
    const milliseconds = await work();
    if ((await reaper.rest()) === 0) throw new Error('nobody reaped meanwhile');
    return milliseconds;
  };
}

/** Milliseconds of admission call by call, each in a turn of the event loop, so that others have theirs. */
async function admission(pool: RankedPool, count: number, company: Company): Promise<number> {
  const transactions = pricedTransactions(count);
  const admitted = new Admission();
  const milliseconds = await company(() =>
    timed(async () => {
      for (const call of batches(transactions, callSize)) {
        await admitted.run(pool, [call]);
        await turn();
      }
    }),
  );
  admitted.check();
  await dropAll(pool, transactions);
  return milliseconds;
}

/** What reaping without end costs those who write: beside them where a pool can be shared, else in their own process. */
export function reapingMeasure({ subject, path }: BenchBackend, context: BenchContext): Measure {
  const n = atMost(context, filled);
  const count = atMost(context, perRound);
  const pool = new RankedPool(subject, n);
  let reaper: Reaper | undefined;
  const { shared } = subject.backend.capabilities;
  return {
    backend: subject.name,
    title: `receive by 100 while ${shared ? 'another process' : 'the same one'} reaps 1,000 without end ÷ receive by 100, n = ${n.toLocaleString('en')}`,
    goal: { kind: 'at most', value: 4 / 3 },
    unit: '×',
    rounds: 9,
    mostRounds: shared ? 9 : 15,
    warmups: 2,
    async prepare() {
      await pool.fill(n, 'pending');
      reaper = shared ? await reaperBeside(path, pool.name, reaped) : reaperHere(pool.store, reaped);
    },
    async sample(round) {
      if (reaper === undefined) throw new Error('not prepared');
      const company = reapedBy(reaper);
      const [quiet, busy] = await inTurn(
        round,
        () => admission(pool, count, alone),
        () => admission(pool, count, company),
      );
      return busy / quiet;
    },
    async end() {
      await reaper?.end();
      await pool.close();
    },
  };
}
