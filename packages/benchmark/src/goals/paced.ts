import { setTimeout as pause } from 'node:timers/promises';
import type { OpenOptions, Ordering, Transaction } from 'mempool-core';
import { anyStore } from 'mempool-core/backend';
import type { BenchBackend } from '../limits/backend.ts';
import { digits } from '../report/format.ts';
import { median, quantile } from '../report/spread.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, freshTransactions, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { Crew } from './crew.ts';
import { head, type Measure } from './measure.ts';
import type { PacedVerbs } from './paced-node.ts';

const program = new URL('./paced-node.ts', import.meta.url);

/** From the end of one node's write to the start of the other node's. */
const gapsMs = [5, 20, 50, 90] as const;
const turnsAtGap = 20;
const warmTurns = 15;

const leastStored = 5_000;
const nodes = 4;
const everyMs = 100;
const pacedMs = 5_000;

interface Kind {
  readonly options: OpenOptions;
  readonly fresh: (count: number) => Transaction[];
}

const kinds: Readonly<Record<Ordering, Kind>> = {
  fifo: { options: {}, fresh: freshTransactions },
  priority: { options: priorityOptions, fresh: pricedTransactions },
};

/** Milliseconds that calls waited for their answer. */
interface Waited {
  /** The slower of two nodes that write in turn. */
  readonly inTurn: readonly number[];
  /** All nodes, each at an ordinary rate. */
  readonly paced: readonly number[];
}

let pools = 0;

/** Fills a new pool, and lets nodes write to it: first two of them in turn, then all at an ordinary rate. */
async function waitedOn({ subject, path }: BenchBackend, ordering: Ordering, stored: number): Promise<Waited> {
  const pool = `bench-paced-${process.pid}-${pools++}`;
  const { options, fresh } = kinds[ordering];
  const filler = anyStore(await subject.open(pool, options));
  for (const call of freshCalls(stored, fresh)) await filler.receive(call);
  await filler.close();
  const crew = new Crew<PacedVerbs>(program, nodes, path, pool, ordering);
  try {
    await crew.begin();
    await crew.tellFirst(2, 'open', options);
    const inTurn = await slowerInTurn(crew, `${subject.name}, ${ordering}`);
    await crew.tell('open', options);
    await crew.tell('writePaced', warmTurns, everyMs);
    const paced = await crew.tell('writePaced', pacedMs / everyMs, everyMs);
    return { inTurn, paced: paced.flat() };
  } finally {
    await crew.end();
    await subject.destroy?.(pool);
  }
}

/** The times at all gaps. It prints the median at each: they may differ by the gap. */
async function slowerInTurn(crew: Crew<PacedVerbs>, what: string): Promise<readonly number[]> {
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
async function writtenInTurn(crew: Crew<PacedVerbs>, turns: number, gapMs: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++)
    for (const [node, own] of times.entries()) {
      own.push(await crew.tellOne(node, 'write'));
      await pause(gapMs);
    }
  return times;
}

/** The nodes of a usual set-up: several processes on one large pool, at rates that leave it idle for most of the time. A small run has none. */
export function pacedGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  const stored = atMost(context, 100_000);
  if (stored < leastStored) return [];
  // The same runs give all figures.
  const runs: Record<Ordering, Promise<Waited>[]> = { fifo: [], priority: [] };
  const run = (ordering: Ordering, at: number): Promise<Waited> => {
    runs[ordering][at] ??= waitedOn(backend, ordering, stored);
    return runs[ordering][at];
  };
  const measure = (
    title: string,
    most: number,
    unit: Measure['unit'],
    of: (at: number) => Promise<number>,
  ): Measure => {
    let taken = 0;
    const measured = head(backend.subject, `paced nodes: ${title}`, ['at most', most], unit, 3);
    return { ...measured, warmups: 0, sample: () => of(taken++) };
  };
  const quantileOf = (ordering: Ordering, of: keyof Waited, share: number, most: number): Measure => {
    const who = of === 'inTurn' ? '2 in turn, the slower one' : `${nodes} at ${1_000 / everyMs} calls a second each`;
    const title = `${who}, receive alone, ${ordering}, ${share === 0.5 ? 'median' : `p${share * 100}`}`;
    return measure(title, most, 'ms', async (at) => quantile((await run(ordering, at))[of], share));
  };
  const ratio = measure('2 in turn, the slower one, receive alone, priority ÷ fifo, median', 3, '×', async (at) => {
    const [fifo, priority] = [await run('fifo', at), await run('priority', at)];
    return median(priority.inTurn) / median(fifo.inTurn);
  });
  const all = (['fifo', 'priority'] as const).flatMap((ordering) => [
    quantileOf(ordering, 'inTurn', 0.5, 10),
    quantileOf(ordering, 'inTurn', 0.9, 15),
    quantileOf(ordering, 'inTurn', 0.99, 30),
    quantileOf(ordering, 'paced', 0.5, 10),
    quantileOf(ordering, 'paced', 0.9, 15),
    quantileOf(ordering, 'paced', 0.99, 30),
  ]);
  return [...all, ratio];
}
