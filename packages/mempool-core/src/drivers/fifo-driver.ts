import type { WriteContext } from '../contract/call-options.ts';
import type { DriverOptions } from '../contract/driver.ts';
import type { DriverPage } from '../contract/driver-page.ts';
import { noFacts } from '../contract/lifecycle.ts';
import { defaultInflightTtlMs } from '../contract/options.ts';
import { cutPage } from '../contract/page-rules.ts';
import type { PriorityVerbs } from '../contract/pool-driver.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { limitsStep, takenOf } from '../rules/call-plan.ts';
import { FifoCall } from '../rules/fifo-call.ts';
import { candidateOf, type FifoEntry, gossipItem, gossipPage, reapFifo } from '../rules/fifo-step.ts';
import { callTimeOf } from '../rules/pool-clock.ts';
import type { PoolView, Step } from '../rules/step.ts';
import { type CallVerbs, callVerbs } from './call-verbs.ts';

/** The optional verbs of a fifo pool. */
export type FifoVerbs = CallVerbs & Pick<PriorityVerbs, 'reap' | 'since' | 'payloads' | 'peekParked'>;

export interface FifoDriverParts {
  readonly memory: MemoryPool;
  readonly write: <T>(verb: string, context: WriteContext, plan: (view: PoolView, nowMs: number) => Step<T>) => T;
  readonly options: Partial<Pick<DriverOptions, 'limits' | 'inflightTtlMs'>>;
}

/** Returns the fifo verbs of a backend whose state is a `MemoryPool`. Stores the limits that `options` names. */
export function fifoVerbs({ memory, write, options }: FifoDriverParts): FifoVerbs {
  const { fifo } = memory;
  const { limits = {}, inflightTtlMs = defaultInflightTtlMs } = options;
  const verbs = callVerbs({
    write: (verb, given, context, plan) =>
      write(verb, context, (view, nowMs) =>
        plan(new FifoCall(view, fifo), { nowMs: callTimeOf(given.now, nowMs), height: 0 }),
      ),
    inflightTtlMs,
    claimed: (claimId) =>
      fifo.claimed(claimId).map((one) => takenOf(candidateOf(one), memory.txState(one.hash)?.facts ?? noFacts)),
  });
  // If several opens name a limit, the latest one sets it.
  if (Object.keys(limits).length > 0)
    write('setLimits', { operationId: undefined, signal: undefined }, (view) =>
      limitsStep(new FifoCall(view, fifo), limits),
    );
  return {
    ...verbs,
    reap: (budget) => reapFifo(fifo.pending(), budget).map(candidateOf),
    since(query) {
      const { after, limit, hashesOnly } = query;
      const { epoch } = memory;
      const found = fifo.unconfirmed(after).take(limit);
      if (hashesOnly) {
        const records = [...found];
        return gossipPage({ records, last: records.at(-1) }, { after, epoch }, (arrival) => gossipItem(arrival, null));
      }
      const records = found.map((arrival) => ({
        ...(fifo.bodies([arrival.hash])[0] as Transaction),
        ...placeOf(arrival),
      }));
      const page = cutPage(records);
      return gossipPage(page, { after, epoch }, (record) => gossipItem(record, record));
    },
    payloads: (hashes, context) => fifo.bodies(hashes, context),
    peekParked: (after) => noneParked(after, memory.epoch),
  };
}

/** Returns the empty page of parked transactions, because a fifo pool parks none. */
export function noneParked(after: number, epoch: string): DriverPage {
  return { transactions: [], next: after, epoch };
}

function placeOf({ hash, seq, bytes }: FifoEntry): FifoEntry {
  return { hash, seq, bytes };
}
