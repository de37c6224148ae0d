import { setTimeout as pause } from 'node:timers/promises';
import type { OpenOptions, Ordering } from 'mempool-core';
import { anyMempool } from 'mempool-core/backend';
import type { BenchBackend } from '../limits/backend.ts';
import { digits } from '../report/format.ts';
import { median, quantile } from '../report/spread.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, freshTransactions, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { Crew } from './crew.ts';
import { head, type Measure } from './measure.ts';
import type { NodeVerbs, Wrote } from './node.ts';

const program = new URL('./node.ts', import.meta.url);
const rounds = 2;
const leastStored = 5_000;

/** From the end of one node's write to the start of the other node's. */
const gapsMs = [5, 20, 50, 90] as const;
const turnsAtGap = 20;
const warmTurns = 15;
const nodes = 4;
const everyMs = 100;
const pacedMs = 5_000;

const writers = 8;
const callSize = 100;
/** How long all write before anything is measured, so that each runs compiled code; then before each phase. */
const compileMs = 4_000;
const warmMs = 500;
const phaseMs = 4_000;
/** A pool in which every newcomer of higher priority evicts another. */
const fullPool = { ...priorityOptions, maxTxs: leastStored, maxFinalized: 10_000, maxEvents: 10_000 } as const;

let pools = 0;

/** Fills a new pool, and hands over processes that can open it. */
async function withCrew<T>(
  { subject, path }: BenchBackend,
  { ordering, size, stored, options }: { ordering: Ordering; size: number; stored: number; options: OpenOptions },
  work: (crew: Crew<NodeVerbs>) => Promise<T>,
): Promise<T> {
  const pool = `bench-nodes-${process.pid}-${pools++}`;
  const filler = anyMempool(await subject.open(pool, options));
  const fresh = ordering === 'priority' ? pricedTransactions : freshTransactions;
  for (const call of freshCalls(stored, fresh)) await filler.receive(call);
  await filler.close();
  const crew = new Crew<NodeVerbs>(program, size, path, pool, ordering);
  try {
    await crew.begin();
    return await work(crew);
  } finally {
    await crew.end();
    await subject.destroy?.(pool);
  }
}

/** Makes measures whose figures come from the same runs. */
function measuresOf<T>(run: (round: number) => Promise<T>) {
  const runs: Promise<T>[] = [];
  return (measured: ReturnType<typeof head>, figure: (of: T) => number): Measure => {
    let taken = 0;
    const sample = async (round: number) => {
      const at = taken++;
      runs[at] ??= run(round);
      return figure(await runs[at]);
    };
    return { ...measured, warmups: 0, sample };
  };
}

/** Milliseconds that calls waited for their answer. */
interface Waited {
  /** The slower of two nodes that write in turn. */
  readonly inTurn: readonly number[];
  /** All nodes, each at an ordinary rate. */
  readonly paced: readonly number[];
}

/** Lets nodes write to a pool: first two of them in turn, then all at an ordinary rate. */
function waitedOn(backend: BenchBackend, ordering: Ordering, stored: number): Promise<Waited> {
  const options = ordering === 'priority' ? priorityOptions : {};
  return withCrew(backend, { ordering, size: nodes, stored, options }, async (crew) => {
    await crew.tellFirst(2, 'open', options);
    const inTurn = await slowerInTurn(crew, `${backend.name}, ${ordering}`);
    await crew.tell('open', options);
    await crew.tell('writePaced', warmTurns, everyMs);
    const paced = await crew.tell('writePaced', pacedMs / everyMs, everyMs);
    return { inTurn, paced: paced.flat() };
  });
}

/** The times at all gaps. It prints the median at each: they may differ by the gap. */
async function slowerInTurn(crew: Crew<NodeVerbs>, what: string): Promise<readonly number[]> {
  await writtenInTurn(crew, warmTurns, gapsMs[0]);
  const [first, second]: [number[], number[]] = [[], []];
  for (const gapMs of gapsMs) {
    const [own, others] = await writtenInTurn(crew, turnsAtGap, gapMs);
    console.error(`  ${what}, ${gapMs} ms apart: median ${digits(median(own))} and ${digits(median(others))} ms`);
    first.push(...own);
    second.push(...others);
  }
  return median(first) > median(second) ? first : second;
}

/** @returns the times of each of two nodes that write in turn */
async function writtenInTurn(crew: Crew<NodeVerbs>, turns: number, gapMs: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++)
    for (const [node, own] of times.entries()) {
      own.push(await crew.tellOne(node, 'write'));
      await pause(gapMs);
    }
  return times;
}

/** Shares of the calls, and the most milliseconds that they may wait. */
const waits = [
  ['median', 0.5, 10],
  ['p90', 0.9, 15],
  ['p99', 0.99, 30],
] as const;

const who = {
  inTurn: '2 in turn, the slower one',
  paced: `${nodes} at ${1_000 / everyMs} calls a second each`,
} as const;

const orderings = ['fifo', 'priority'] as const;

/** Several processes on one large pool of each ordering, at rates that leave it idle for most of the time. */
function pacedGoals(backend: BenchBackend, stored: number): Measure[] {
  const measure = measuresOf(async () => ({
    fifo: await waitedOn(backend, 'fifo', stored),
    priority: await waitedOn(backend, 'priority', stored),
  }));
  const all = orderings.flatMap((ordering) =>
    (['inTurn', 'paced'] as const).flatMap((of) =>
      waits.map(([name, share, most]) => {
        const title = `paced nodes: ${who[of]}, receive alone, ${ordering}, ${name}`;
        const measured = head(backend, title, ['at most', most], 'ms', rounds);
        return measure(measured, (waited) => quantile(waited[ordering][of], share));
      }),
    ),
  );
  const title = `paced nodes: ${who.inTurn}, receive alone, priority ÷ fifo, median`;
  const ratio = head(backend, title, ['at most', 3], '×', 1);
  return [...all, measure(ratio, ({ fifo, priority }) => median(priority.inTurn) / median(fifo.inTurn))];
}

/** Calls of many writers together ÷ those of one alone in the same time, of the slowest ÷ of the fastest, and rejected ones. */
interface Reached {
  readonly together: number;
  readonly fair: number;
  readonly unavailable: number;
}

function reachedBy(backend: BenchBackend, round: number): Promise<Reached> {
  const pool = { ordering: 'priority', size: writers, stored: leastStored, options: fullPool } as const;
  return withCrew(backend, pool, async (crew) => {
    await crew.tell('open', fullPool);
    await crew.tell('saturate', callSize, compileMs);
    const write = async (count: number): Promise<Wrote[]> => {
      await crew.tellFirst(count, 'saturate', callSize, warmMs);
      return crew.tellFirst(count, 'saturate', callSize, phaseMs);
    };
    const first = round % 2 === 0 ? await write(1) : null;
    const all = await write(writers);
    const [alone] = (first ?? (await write(1))) as [Wrote];
    const counts = all.map(({ answered }) => answered);
    return {
      together: counts.reduce((sum, count) => sum + count, 0) / alone.answered,
      fair: Math.min(...counts) / Math.max(...counts),
      unavailable: all.reduce((sum, { unavailable }) => sum + unavailable, 0),
    };
  });
}

/** Processes that write to one full priority pool without a pause. */
function saturatedGoals(backend: BenchBackend): Measure[] {
  const measure = measuresOf((round) => reachedBy(backend, round));
  const what = `saturated nodes: priority receive by ${callSize} in ${writers} processes, each newcomer evicts`;
  const refused = `${what}: calls rejected with ERR_MEMPOOL_UNAVAILABLE`;
  return [
    measure(head(backend, `${what} ÷ in one`, ['at least', 0.4], '×', 3), ({ together }) => together),
    measure(
      head(backend, `${what}: calls of the slowest ÷ of the fastest`, ['at least', 0.3], '×', 3),
      ({ fair }) => fair,
    ),
    measure(head(backend, refused, ['at most', 0], 'calls', 1), ({ unavailable }) => unavailable),
  ];
}

/** Several nodes on one pool. A small run has none: it would start processes only. */
export function nodesGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  const stored = atMost(context, 100_000);
  return stored < leastStored ? [] : [...pacedGoals(backend, stored), ...saturatedGoals(backend)];
}
