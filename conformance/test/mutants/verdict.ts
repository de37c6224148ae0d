import type { ConformanceCase, Subject } from 'mempool-conformance';
import { runCase } from 'mempool-conformance';
import { missingNeeds } from '../../src/case/outcome.ts';
import type { Mutant } from './mutant.ts';

/** Long enough for the slowest case on the mutants, which keep everything in memory. */
const timeoutMs = 2_000;
/** Cases of an election wait for leases and heartbeats to run out. */
const electionTimeoutMs = 12_000;
/** Many of priority pools look at the whole pool after each of many calls. */
const priorityTimeoutMs = 10_000;
const seed = 1;

function subjectOf({ id, backend, election }: Mutant): Subject {
  return {
    name: id,
    module: 'none: no other process can open it',
    backend,
    open: (pool, options) => backend.open({ ...options, pool }),
    ...election,
  };
}

export function isSupported(mutant: Mutant, one: ConformanceCase): boolean {
  return missingNeeds(one, subjectOf(mutant)).length === 0;
}

function limitOf({ needs = [] }: ConformanceCase): number {
  if (needs.includes('election')) return electionTimeoutMs;
  return needs.some((need) => need === 'priority' || need === 'arrival-verbs') ? priorityTimeoutMs : timeoutMs;
}

/** Whether a case finds no fault, in whatever time it takes: a loaded machine is slow, not wrong. */
export async function passes(sound: Mutant, one: ConformanceCase): Promise<boolean> {
  const { outcome } = await runCase(subjectOf(sound), one, { seed });
  return outcome.kind === 'passed';
}

/** Whether a case notices the fault: by what it asserts or by its time, not by how it is cleaned up after it. */
export async function isKilled(mutant: Mutant, one: ConformanceCase): Promise<boolean> {
  let passed = false;
  const watched: ConformanceCase = {
    ...one,
    async run(context) {
      await one.run(context);
      passed = !context.signal.aborted;
    },
  };
  const { outcome } = await runCase(subjectOf(mutant), watched, { seed, timeoutMs: limitOf(one) });
  return outcome.kind === 'failed' && !passed && !isStumble(outcome.error);
}

/** A mutant that falls over its own code shows nothing of the case. */
function isStumble(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return true;
  return error instanceof Error && error.cause !== undefined && isStumble(error.cause);
}
