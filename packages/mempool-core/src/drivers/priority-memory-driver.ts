import type { ChainContext, WriteContext } from '../contract/call-options.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import type { LeaseSource } from '../contract/lease.ts';
import { defaultInflightTtlMs } from '../contract/options.ts';
import { dumpOfPool } from '../priority/content.ts';
import { isSwept } from '../priority/priority-call.ts';
import { changesPool, type PriorityPool } from '../priority/priority-pool.ts';
import { eventTime, poolClock } from '../rules/pool-clock.ts';
import { recorded, type Step } from '../rules/step.ts';
import { assertRoom, atOnce, type Done, type FencedOutcome, fencedCall, memoryReads } from './memory-driver.ts';
import { withExport, withTransfer } from './memory-transfer.ts';
import { momentIn, type Plan, type PriorityStorage, priorityDriver } from './priority-driver.ts';
import { recordVerbs } from './record-verbs.ts';

/** The parts that `priorityMemoryDriver` needs of a backend. */
export interface PriorityMemoryParts {
  readonly pool: PriorityPool;
  readonly options: Pick<DriverOptions, 'thresholds' | 'election' | 'fenced' | 'now'> &
    Partial<Pick<DriverOptions, 'inflightTtlMs'>>;
  /** The source of the leader's lease (X6). Without it, there is never a lease. */
  readonly leases?: LeaseSource | undefined;
  /**
   * Stores the step, before the pool applies it. If it throws, it must have stored nothing, and the pool does not change
   * (X1). Leave it out if memory is the only storage. It must be synchronous, as in `MemoryDriverParts`.
   */
  readonly commit?: ((step: Step<unknown>) => Done) | undefined;
  close(): void;
}

/** The storage of a priority pool that is in memory. */
function memoryStorage({ pool, options, leases, commit }: PriorityMemoryParts, clock: () => number): PriorityStorage {
  const { memory } = pool;
  const keep = commit === undefined ? () => undefined : atOnce(commit);

  function write<T>(verb: string, context: WriteContext, plan: Plan<T>): T {
    const known = memory.findOperation<T>(verb, context);
    if (known !== null) return known.outcome;
    const nowMs = clock();
    const at = eventTime(nowMs, memory.lastAt);
    return pool.commit(
      (planning) => plan(planning, nowMs),
      (step) => kept(recorded(step, verb, context, at)),
    );
  }

  function kept<T>(step: Step<T>): Step<T> {
    if (changesPool(step) || step.operation !== null || step.record) keep(step);
    return step;
  }

  function writeUnderLease<T>(verb: string, context: ChainContext, plan: Plan<T>): T | FencedOutcome {
    return fencedCall<T>({ memory, options, leases }, verb, context, (prolonged) =>
      write(verb, context, (planning, nowMs) => prolonged(plan(planning, nowMs))),
    );
  }

  return {
    read: (_context, read) => read(pool),
    write,
    writeUnderLease,
    stored: (_context, after, choose) => memory.stored(choose(pool), after),
    bodies: (context, hashes) => memory.fifo.bodies(hashes, context),
  };
}

/**
 * Implements every verb for a backend that has its priority pool in memory, including payloads.
 *
 * @throws `ERR_MEMPOOL_INTERNAL` if `commit` is an async function
 */
export function priorityMemoryDriver(parts: PriorityMemoryParts): StoreDriver {
  const { pool, options, leases, commit, close } = parts;
  const clock = poolClock(options);
  const { inflightTtlMs = defaultInflightTtlMs } = options;
  const storage = memoryStorage(parts, clock);
  const driver = priorityDriver(storage, options);
  const verbs: StoreDriver = {
    ...memoryReads(pool.memory),
    ...driver,
    dumpPool: () => dumpOfPool(pool),
    ...recordVerbs({ memory: pool.memory, leases, election: options.election, write: storage.write }),
    admit(submissions, moment, context) {
      assertRoom(pool.memory, submissions.length);
      return driver.admit(submissions, moment, context);
    },
    sweep(sweep, context) {
      if (
        context.operationId === undefined &&
        isSwept(pool, momentIn(pool, clock(), sweep), { ...sweep, inflightTtlMs })
      )
        return { returned: [], woken: [], expired: [], evicted: [], more: false };
      return driver.sweep(sweep, context);
    },
    close,
  };
  return (commit === undefined ? withTransfer : withExport)(verbs, pool);
}
