import type { Limit } from './bare.ts';
import type { BenchBackend } from './bench-backend.ts';
import type { BenchContext } from './context.ts';
import { eventWorkloads } from './event-workloads.ts';
import { lifecycleWorkloads } from './lifecycle-workloads.ts';
import { FilledBare, FilledPool } from './pool.ts';
import { readWorkloads } from './read-workloads.ts';
import { receiveWorkloads } from './receive-workloads.ts';
import { type Costs, type Row, rowsOf } from './row.ts';
import { type Participant, takeTurns } from './turns.ts';
import type { Turn, Workload } from './workload.ts';

const defaultRounds = 7;
const warmups = 2;
const leastMs = 5;
const mostRepeats = 5;

const workloads: readonly Workload[] = [
  ...receiveWorkloads,
  ...lifecycleWorkloads,
  ...readWorkloads,
  ...eventWorkloads,
];

/** A subject and its limits, filled with the same number of transactions. */
interface Filled {
  readonly n: number;
  readonly ours: FilledPool;
  readonly limits: ReadonlyMap<string, FilledBare>;
}

/** All workloads of a backend, by what must be stored before, so that it is stored once. */
export async function workloadRows(backend: BenchBackend, context: BenchContext): Promise<Row[]> {
  const rows: Row[] = [];
  for (const given of ['pending', 'inflight', 'logged'] as const) {
    const wanted = workloads.filter((workload) => workload.given === given && applies(workload, backend));
    const filled: Filled[] = [];
    try {
      for (const n of context.sizes) filled.push(await fill(backend, n, given));
      for (const workload of wanted) rows.push(...(await measured(workload, backend, filled, context)));
    } finally {
      for (const { ours, limits } of filled) {
        await ours.close();
        for (const bare of limits.values()) await bare.close();
      }
    }
  }
  const place = ({ id }: Row): number => workloads.findIndex((workload) => workload.id === id);
  return rows.sort((a, b) => place(a) - place(b));
}

function applies({ needs = [] }: Workload, { subject }: BenchBackend): boolean {
  return needs.every((capability) => subject.backend.capabilities[capability]);
}

async function fill({ subject, limits }: BenchBackend, n: number, given: Workload['given']): Promise<Filled> {
  const bares = new Map<string, FilledBare>();
  const ours = await new FilledPool(subject, n).fill(n, given);
  for (const limit of limits) bares.set(limit.name, await FilledBare.fill(limit, n, given));
  return { n, ours, limits: bares };
}

async function measured(
  workload: Workload,
  { name, limits }: BenchBackend,
  filled: readonly Filled[],
  { rounds = defaultRounds }: BenchContext,
): Promise<Row[]> {
  console.error(`${name}: ${workload.title}`);
  const held = limits.filter((limit) => applicable(workload, limit));
  const costs = await takeTurns(
    filled.flatMap((pools) => participants(workload, pools, held)),
    rounds,
    rounds > 1 ? warmups : 0,
  );
  const of = (key: string): readonly number[] => costs.get(key) ?? [];
  const byN = filled.map(
    ({ n }): Costs => ({
      n,
      ours: of(`${n}`),
      limits: new Map(held.map((limit) => [limit.name, of(`${n} ${limit.name}`)])),
    }),
  );
  const { id, title, per } = workload;
  return rowsOf({ backend: name, id, title, per, unit: 'µs' }, byN);
}

/** A bare Map does not restart. */
function applicable({ id }: Workload, { survives }: Limit): boolean {
  return id !== 'restart' || survives;
}

function participants(workload: Workload, { n, ours, limits }: Filled, held: readonly Limit[]): Participant[] {
  const repeats = workload.repeats ?? 1;
  const result = [{ name: `${n}`, turn: () => cost(() => workload.ours(ours), repeats) }];
  for (const { name } of held) {
    const bare = limits.get(name);
    if (bare === undefined) continue;
    result.push({ name: `${n} ${name}`, turn: () => cost(() => workload.limit(bare), repeats) });
  }
  return result;
}

/** Microseconds for each unit; what is over too soon for the clock is done again, a few times. */
async function cost(prepare: () => Promise<Turn> | Turn, repeats: number): Promise<number> {
  let [milliseconds, count] = [0, 0];
  for (let i = 0; i < repeats || (milliseconds < leastMs && i < mostRepeats); i++) {
    const turn = await prepare();
    const start = performance.now();
    await turn.run();
    milliseconds += performance.now() - start;
    count += turn.count;
    await turn.undo?.();
  }
  return (milliseconds * 1_000) / count;
}
