import type { ConformanceCase, Subject } from 'mempool-conformance';
import { runCase } from 'mempool-conformance';
import type { Mutant } from './mutant.ts';

/** Long enough for the slowest case on the mutants, which keep everything in memory. */
const timeoutMs = 2_000;
const seed = 1;

function subjectOf({ id, backend }: Mutant): Subject {
  return {
    name: id,
    module: 'none: no other process can open it',
    backend,
    open: (pool, options) => backend.open({ ...options, pool }),
  };
}

export function isSupported({ backend }: Mutant, { needs = [] }: ConformanceCase): boolean {
  const { durable, shared, lease } = backend.capabilities;
  const met = { durable, shared, lease, volatile: !durable, 'child-process': false };
  return needs.every((need) => met[need]);
}

/** Whether a case notices the fault. */
export async function isKilled(mutant: Mutant, one: ConformanceCase): Promise<boolean> {
  const { outcome } = await runCase(subjectOf(mutant), one, { seed, timeoutMs });
  return outcome.kind === 'failed';
}
