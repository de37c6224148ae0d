import type { Awaitable, WriteContext } from '../contract/call-options.ts';
import { isFenced, type LeaseSource } from '../contract/lease.ts';
import type { PutOutcome, RecordDriver } from '../contract/records.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { eventTime } from '../rules/pool-clock.ts';
import { putStep } from '../rules/records.ts';
import type { Step } from '../rules/step.ts';

interface RecordParts {
  readonly memory: MemoryPool;
  readonly leases?: LeaseSource | undefined;
  readonly election: string;
  /** Plans and stores a step, or returns the recorded outcome of a known operation id. */
  readonly write: (
    verb: string,
    context: WriteContext,
    plan: (pool: unknown, nowMs: number) => Step<PutOutcome>,
  ) => Awaitable<PutOutcome>;
}

/** Returns the verbs for records of a backend whose state is a `MemoryPool` (K1–K4). */
export function recordVerbs({ memory, leases, election, write }: RecordParts): RecordDriver {
  const { records } = memory;
  return {
    getRecord: (name) => records.get(name),
    listRecords: (query) => records.list(query),
    putRecord(put, context) {
      const { lease } = context;
      const known = memory.findOperation<PutOutcome>('putRecord', context);
      if (known !== null) return known.outcome;
      // K2: without a lease the call is never fenced.
      if (lease !== null && isFenced(leases?.held(election) ?? null, lease, false)) return { kind: 'fenced' };
      return write('putRecord', context, (_, nowMs) =>
        putStep(put, records.totals, records.former(put.name), eventTime(nowMs, memory.lastAt)),
      );
    },
  };
}
