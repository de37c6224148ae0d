import type { Subject } from 'mempool-conformance';
import type { Backend, OpenOptions } from 'mempool-core';
import type { OpenedPool } from '../../src/case/tested-pool.ts';
import kills from './kills.json' with { type: 'json' };

/** A store with one fault, and the cases that must notice it (`kills.json`). */
export interface Mutant {
  readonly id: string;
  readonly kills: readonly string[];
  readonly backend: MutantBackend;
  /** How its pools are opened, where they have an election or are removed; then the fault may be in that. */
  readonly election?: Partial<Subject>;
}

/** A backend whose pools may be of either ordering. */
export interface MutantBackend extends Pick<Backend, 'name' | 'capabilities'> {
  open(options?: OpenOptions): Promise<OpenedPool>;
}

/** What a pool in memory offers. */
export const plainPool = {
  durable: false,
  shared: false,
  lease: false,
  priority: false,
  records: true,
  import: true,
};
const assigned: Readonly<Record<string, readonly string[]>> = kills;

export function mutant(id: string, backend: MutantBackend, election?: Partial<Subject>): Mutant {
  return { id, kills: assigned[id] ?? [], backend, ...(election && { election }) };
}
