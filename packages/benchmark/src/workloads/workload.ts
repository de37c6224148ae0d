import type { Capabilities } from 'mempool-core';
import type { BareIndex } from '../limits/memory.ts';
import type { Per } from '../report/row.ts';
import { batches } from '../setup/samples.ts';
import type { FilledBare, FilledPool, Given } from './pools.ts';

/** One turn: what is timed, how many units it has, and how the pool gets back to its state before. */
export interface Turn {
  readonly count: number;
  run(): unknown;
  readonly undo?: (() => unknown) | undefined;
}

export type Prepare = () => Promise<Turn> | Turn;

/** Takes turns with the measured pool. */
export interface Rival {
  readonly name: string;
  readonly prepare: Prepare;
}

/** Everything beside a priority pool that is filled with as many transactions. */
interface Beside {
  readonly fifo: FilledPool;
  readonly bare: FilledBare;
  readonly index: BareIndex;
}

export interface Workload {
  readonly id: string;
  readonly title: string;
  readonly per: Per;
  readonly given: Given;
  readonly needs?: readonly (keyof Capabilities)[];
  ours(pool: FilledPool): Promise<Turn> | Turn;
  /** The same work on each bare structure of the backend; beside a priority pool on the first alone. */
  limit?(pool: FilledBare): Promise<Turn> | Turn;
  /** What else takes turns with a priority pool. */
  rivals?(beside: Beside): Rival[];
  /** The speed of the first limit or rival that is to be reached, by backend. */
  readonly goals?: Readonly<Record<string, number>>;
  /** Its cost grows with the number of transactions. */
  readonly grows?: true;
}

/** Makes the calls one after the other. A call that is already done is not awaited: that would cost a turn of the microtask queue. */
export async function inCalls<T>(calls: readonly T[], call: (one: T) => unknown): Promise<void> {
  for (const one of calls) {
    const done = call(one);
    if (done instanceof Promise) await done;
  }
}

interface Counted {
  /** Items that count as one; default 1. */
  readonly unit?: number;
  readonly undo?: Turn['undo'];
}

/** A turn of calls of `size` items each. */
export function byCalls<T>(
  items: readonly T[],
  size: number,
  call: (items: T[]) => unknown,
  { unit = 1, undo }: Counted = {},
): Turn {
  const calls = batches(items, size);
  return { count: items.length / unit, run: () => inCalls(calls, call), undo };
}

/** A turn of the same call several times: once is over too soon for the clock. */
export function repeated(times: number, call: () => unknown, count: number = times): Turn {
  return {
    count,
    async run() {
      for (let i = 0; i < times; i++) {
        const done = call();
        if (done instanceof Promise) await done;
      }
    },
  };
}
