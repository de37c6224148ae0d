import type { Mempool } from 'mempool-core';
import { numberOf, numberOfTransaction } from '../node/block.ts';
import type { FedChain } from '../node/fed-chain.ts';
import type { FaultKind, Moments } from './moments.ts';
import { faultKinds } from './moments.ts';

export interface Judgement {
  /** One line for each broken promise. */
  readonly broken: readonly string[];
  readonly answered: number;
  /** Writes that were answered and are not there, all of them reported by `lagged`. */
  readonly lost: number;
  /** The first of them. */
  readonly losses: readonly string[];
  readonly blocks: number;
  readonly lags: number;
  readonly times: readonly FaultFigures[];
}

interface FaultFigures {
  readonly kind: FaultKind;
  readonly count: number;
  /** From the fault until the Sentinels named the successor: median and maximum, in milliseconds. */
  readonly switched: readonly [number, number];
  /** The longest time without an answered write. */
  readonly writes: readonly [number, number];
  /** The longest time without an applied block. */
  readonly blocks: readonly [number, number];
  /** How many answered writes it cost. */
  readonly lost: number;
}

const fewLosses = 20;

/** The line that survived: the numbers of transactions in the order of their arrival, and of blocks. */
interface Line {
  readonly received: readonly number[];
  readonly blocks: readonly number[];
}

/** Compares what nodes were told with the line of the last master. */
export async function judge(moments: Moments, store: Mempool, chain: FedChain): Promise<Judgement> {
  const line = await lineOf(store);
  const present = new Set(line.received);
  const lost = moments.answered.filter(({ n }) => !present.has(n));
  const expected = chain.blocks.map((_, i) => i + 1);
  const broken = [
    ...(isSame(line.blocks, expected)
      ? []
      : [`the surviving blocks are not the chain: ${differenceOf(line.blocks, expected)}`]),
    ...(present.size === line.received.length ? [] : ['a transaction was received twice']),
    ...leaderFaults(moments, line),
    ...silentLosses(moments, lost),
  ];
  const lags = [...moments.readings.values()].flat().filter(({ what }) => what === 'lagged').length;
  const { length: answered } = moments.answered;
  return {
    broken,
    answered,
    lost: lost.length,
    losses: lost.slice(0, fewLosses).map((each) => lossOf(each, moments)),
    blocks: line.blocks.length,
    lags,
    times: figuresOf(moments, lost),
  };
}

/** Which write it was, and when it was answered. */
function lossOf({ n, at }: Moments['answered'][number], { faults }: Moments): string {
  const index = faults.findLastIndex((each) => each.at < at);
  const fault = faults[index];
  if (fault === undefined) return `write ${n}, answered before the first fault`;
  const [after, whole] = [at - fault.at, fault.healedAt - fault.at].map(Math.round);
  return `write ${n}, answered ${after} ms after fault ${index + 1} (${fault.kind}, whole after ${whole} ms)`;
}

async function lineOf(store: Mempool): Promise<Line> {
  const { lastEventSeq } = await store.usage();
  const [received, blocks]: [number[], number[]] = [[], []];
  let seq = 0;
  for await (const event of await store.subscribe({ after: 'origin' })) {
    if (event.kind === 'lagged') throw new Error('the log of events does not reach back to the beginning');
    seq = event.eventSeq;
    if (event.kind === 'block' && event.action === 'applied') blocks.push(numberOf(event.point) ?? 0);
    if (event.kind === 'transaction' && event.stage === 'Pending') received.push(numberOfTransaction(event.hash));
    if (seq >= lastEventSeq) break;
  }
  return { received, blocks };
}

/** Along the surviving line terms only rise, and each belongs to one node. */
function leaderFaults({ applied }: Moments, { blocks }: Line): string[] {
  const last = new Map(applied.map((each) => [numberOf(each.point), each]));
  const faults: string[] = [];
  const leaders = new Map<number, string>();
  let highest = 0;
  for (const number of blocks) {
    const found = last.get(number);
    if (found === undefined) continue;
    const { node, term } = found;
    if (term < highest) faults.push(`block ${number} of term ${term} came after one of term ${highest}`);
    if ((leaders.get(term) ?? node) !== node)
      faults.push(`term ${term} belongs to ${leaders.get(term)} and to ${node}`);
    leaders.set(term, node);
    highest = Math.max(highest, term);
  }
  return faults;
}

/**
 * A write that was answered and is not there must be followed by a `lagged` at the reader of its node. Another node may have left the old
 * master earlier, so its reader may have been told before, but not before the fault began.
 */
function silentLosses(moments: Moments, lost: Moments['answered']): string[] {
  const faults: string[] = [];
  for (const [reader, all] of moments.readings) {
    const lastLag = all.findLast(({ what }) => what === 'lagged')?.at ?? 0;
    const silent = lost.filter((write) => lastLag < (write.node === reader ? write.at : faultAt(write.at, moments)));
    if (silent.length > 0)
      faults.push(`${reader} was not told of ${silent.length} lost writes, the first ${silent[0]?.n}`);
  }
  return faults;
}

/** When the fault began that was going on then; else the moment itself. */
function faultAt(moment: number, { faults }: Moments): number {
  return faults.find(({ at, healedAt }) => at < moment && moment < healedAt)?.at ?? moment;
}

function figuresOf({ faults, answered, applied }: Moments, lost: Moments['answered']): FaultFigures[] {
  return faultKinds.flatMap((kind) => {
    const own = faults.filter((each) => each.kind === kind);
    if (own.length === 0) return [];
    const gaps = (list: readonly { readonly at: number }[]) =>
      own.map(({ at, healedAt }) =>
        longestGap(
          list.map((each) => each.at),
          at,
          healedAt,
        ),
      );
    const switched = own.map(({ at, switchedAt }) => switchedAt - at);
    const figures = { switched: spread(switched), writes: spread(gaps(answered)), blocks: spread(gaps(applied)) };
    const costs = lost.filter((write) => own.some(({ at, healedAt }) => at < write.at && write.at < healedAt));
    return [{ kind, count: own.length, ...figures, lost: costs.length }];
  });
}

function longestGap(times: readonly number[], from: number, to: number): number {
  const inside = times.filter((at) => at > from && at < to).sort((a, b) => a - b);
  const ends = [from, ...inside, to];
  return Math.max(...ends.slice(1).map((at, i) => at - (ends[i] as number)));
}

function spread(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  return [Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0), Math.round(sorted.at(-1) ?? 0)];
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}

function differenceOf(found: readonly number[], expected: readonly number[]): string {
  const at = found.findIndex((each, i) => each !== expected[i]);
  return `${found.length} of ${expected.length}, the first difference at ${at < 0 ? found.length : at}`;
}
