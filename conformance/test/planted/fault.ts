import type { Capabilities, MempoolEvent, OpenOptions, Ordering } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import { Layer } from '../mutants/operators.ts';
import cases from './kills.json' with { type: 'json' };

/** Where a faulty store stands. */
export interface StoreFile {
  readonly path: string;
  /** The pool was there before this open. */
  readonly reopened: boolean;
}

/** What is wrong, and where. */
interface Plan {
  readonly capabilities?: Partial<Capabilities>;
  /** The pools that have the fault; default: all. */
  readonly ordering?: Ordering;
  /** The name that it takes the pool's for. */
  pool?(name: string): string;
  /** Another file than that of the pool. */
  path?(path: string): string;
  /** What happens to the file of an existing pool before it is opened: statements. */
  readonly sabotage?: string;
  options?(options: OpenOptions, place: StoreFile): OpenOptions;
  plant?(store: TestedPool, place: StoreFile): Partial<TestedPool> | Promise<Partial<TestedPool>>;
  leases?(store: LeaseStore, place: StoreFile): Partial<LeaseStore>;
}

/** One fault in a store that is otherwise right, of the kind that only a crash, another node or another pool shows. */
export interface Fault extends Plan {
  readonly id: string;
  /** The cases that must notice it (`kills.json`). */
  readonly kills: readonly string[];
  /** Those of them that wait for what never comes: the end of their time is how they notice it. */
  readonly hangs?: readonly string[];
}

const noticed: Readonly<Record<string, Pick<Fault, 'kills' | 'hangs'>>> = cases;

export function planted(id: string, plan: Plan): Fault {
  return { id, kills: [], ...noticed[id], ...plan };
}

/** What an existing pool's file has lost, or has wrong, when it is opened. */
export function sabotaged(id: string, sabotage: string): Fault {
  return planted(id, { sabotage });
}

interface Site extends StoreFile {
  readonly store: TestedPool;
}

/** Faults in the verbs of a store. */
export const stores: Layer<TestedPool, Site, Fault> = new Layer((id, fault) =>
  planted(id, { plant: (store, place) => fault(store, { store, ...place }) }),
);

/** A stream with its events changed, one by one. */
export async function* changing(
  stream: AsyncIterable<MempoolEvent>,
  change: (event: MempoolEvent) => MempoolEvent[],
): AsyncGenerator<MempoolEvent> {
  for await (const event of stream) yield* change(event);
}

/** Long enough for a kill or another node to come between. What writes many items in two parts takes longer than with one. */
export function moment(items = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3 + items / 50));
}
