import type { BenchContext } from './context.ts';
import { type Costs, type Row, type RowHead, rowsOf } from './row.ts';
import { type Participant, takeTurns } from './turns.ts';
import type { Turn } from './workload.ts';

const defaultRounds = 7;
const warmups = 2;
const leastMs = 5;
const mostRepeats = 5;

type Prepare = () => Promise<Turn> | Turn;

/** One that takes turns with the measured one. */
export interface Rival {
  readonly name: string;
  readonly prepare: Prepare;
}

/** Who takes turns with one `n` stored: the measured one, and what it is held against. */
export interface Contest {
  readonly n: number;
  readonly ours: Prepare;
  /** Flatness divides out the growth of the first. */
  readonly rivals: readonly Rival[];
}

/** Lets all of a workload take turns, at every n in every round. @param repeats turns of each in one round */
export async function contestRows(
  head: RowHead,
  contests: readonly Contest[],
  { rounds = defaultRounds }: BenchContext,
  repeats = 1,
): Promise<Row[]> {
  console.error(`${head.backend}: ${head.title}`);
  const costs = await takeTurns(
    contests.flatMap((contest) => participants(contest, repeats)),
    rounds,
    rounds > 1 ? warmups : 0,
  );
  const of = (key: string): readonly number[] => costs.get(key) ?? [];
  const byN = contests.map(
    ({ n, rivals }): Costs => ({
      n,
      ours: of(`${n}`),
      limits: new Map(rivals.map(({ name }) => [name, of(`${n} ${name}`)])),
    }),
  );
  return rowsOf(head, byN);
}

function participants({ n, ours, rivals }: Contest, repeats: number): Participant[] {
  const others = rivals.map(({ name, prepare }) => ({ name: `${n} ${name}`, turn: () => cost(prepare, repeats) }));
  return [{ name: `${n}`, turn: () => cost(ours, repeats) }, ...others];
}

/** Microseconds for each unit; what is over too soon for the clock is done again, a few times. */
async function cost(prepare: Prepare, repeats: number): Promise<number> {
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
