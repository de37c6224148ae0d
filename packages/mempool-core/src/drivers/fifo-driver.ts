import type { WriteContext } from '../contract/call-options.ts';
import type { DriverOptions } from '../contract/driver.ts';
import type { Limits } from '../contract/limits.ts';
import { cutPage } from '../contract/page-rules.ts';
import type { PriorityVerbs } from '../contract/pool-driver.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Ledger } from '../memory/ledger.ts';
import {
  candidateOf,
  type FifoEntry,
  flushStep,
  gossipItem,
  gossipPage,
  limitsStep,
  maxSweep,
  reapFifo,
  sweepStep,
  takeStep,
} from '../rules/fifo-step.ts';
import { callTimeOf, claimEnd, poolClock } from '../rules/pool-clock.ts';
import type { PoolView, Step } from '../rules/step.ts';

/** The verbs that a fifo pool has in addition to those of every pool. */
export type FifoVerbs = Pick<
  PriorityVerbs,
  'reap' | 'take' | 'sweep' | 'since' | 'payloads' | 'peekParked' | 'flush' | 'setLimits'
>;

export interface FifoDriverParts {
  readonly ledger: Ledger;
  readonly write: <T>(verb: string, context: WriteContext, plan: (view: PoolView) => Step<T>) => T;
  readonly options: Partial<Pick<DriverOptions, 'limits' | 'now'>>;
}

/** The fifo verbs of a backend whose state is a ledger. Stores the limits that `options` names. */
export function fifoVerbs({ ledger, write, options }: FifoDriverParts): FifoVerbs {
  const now = poolClock(options);
  const { fifo } = ledger;
  const setLimits = (limits: Partial<Limits>, context: WriteContext): Limits =>
    write('setLimits', context, (view) => limitsStep(view, limits, fifo.maxTxs));
  // If several opens name a limit, the latest one sets it.
  setLimits(options.limits ?? {}, { operationId: undefined, signal: undefined });
  return {
    reap: (budget) => reapFifo(fifo.pending(), budget),
    take({ budget, claimId, owner, claimMs }, moment, context) {
      const lot = write('take', context, (view) => {
        const untilMs = claimEnd(callTimeOf(moment.now, now()), claimMs);
        return takeStep(view, reapFifo(fifo.pending(), budget), { id: claimId, owner, untilMs });
      });
      return { ...lot, transactions: fifo.held(claimId).map(candidateOf) };
    },
    sweep: (moment, context) =>
      write('sweep', context, (view) => sweepStep(view, fifo.endedBefore(callTimeOf(moment.now, now()), maxSweep + 1))),
    since(query) {
      const found = fifo.unconfirmed(query.after).take(query.limit);
      if (query.hashesOnly)
        return gossipPage(
          Array.from(found, (arrival) => gossipItem(arrival, null)),
          query,
        );
      const records = found.map((arrival) => ({
        ...(fifo.bodies([arrival.hash])[0] as Transaction),
        ...placeOf(arrival),
      }));
      return gossipPage(
        cutPage(records, () => true).map((record) => gossipItem(record, record)),
        query,
      );
    },
    payloads: (hashes) => fifo.bodies(hashes),
    peekParked: () => [],
    flush: (context) => write('flush', context, (view) => flushStep(view, fifo.pending())),
    setLimits,
  };
}

function placeOf({ hash, seq, bytes }: FifoEntry): FifoEntry {
  return { hash, seq, bytes };
}
