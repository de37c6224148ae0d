import type { WriteContext } from '../contract/call-context.ts';
import type { DriverOptions } from '../contract/driver.ts';
import type { Limits } from '../contract/limits.ts';
import { cutPage } from '../contract/page-rules.ts';
import type { PriorityVerbs } from '../contract/pool-driver.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Ledger } from '../memory/ledger.ts';
import { type Arrival, candidateOf, gossipItem, gossipPage, reapArrivals } from '../rules/fifo-selection.ts';
import { flushStep, limitsStep, maxSweep, sweepStep, takeStep } from '../rules/fifo-step.ts';
import { leaseEnd, momentOf, poolClock } from '../rules/pool-clock.ts';
import type { PoolView, Step } from '../rules/step.ts';

/** The verbs that a pool in order of arrival has beside those of every pool. */
export type ArrivalVerbs = Pick<
  PriorityVerbs,
  'reap' | 'take' | 'sweep' | 'since' | 'payloads' | 'peekParked' | 'flush' | 'setLimits'
>;

export interface ArrivalParts {
  readonly ledger: Ledger;
  readonly write: <T>(verb: string, context: WriteContext, plan: (view: PoolView) => Step<T>) => T;
  readonly options: Partial<Pick<DriverOptions, 'limits' | 'now'>>;
}

/** Of a backend whose state is a ledger. */
export function arrivalVerbs({ ledger, write, options }: ArrivalParts): ArrivalVerbs {
  const now = poolClock(options);
  const { arrivals } = ledger;
  const setLimits = (limits: Partial<Limits>, context: WriteContext): Limits =>
    write('setLimits', context, (view) => limitsStep(view, limits, arrivals.maxTxs));
  // The latest open that names a limit sets it.
  setLimits(options.limits ?? {}, { operationId: undefined, signal: undefined });
  return {
    reap: (budget) => reapArrivals(arrivals.pending(), budget),
    take({ budget, leaseId, owner, leaseMs }, moment, context) {
      const lot = write('take', context, (view) => {
        const untilMs = leaseEnd(momentOf(moment.now, now()), leaseMs);
        return takeStep(view, reapArrivals(arrivals.pending(), budget), { id: leaseId, owner, untilMs });
      });
      return { ...lot, transactions: arrivals.held(leaseId).map(candidateOf) };
    },
    sweep: (moment, context) =>
      write('sweep', context, (view) =>
        sweepStep(view, arrivals.endedBefore(momentOf(moment.now, now()), maxSweep + 1)),
      ),
    since(query) {
      const found = arrivals.unconfirmed(query.after).take(query.limit);
      if (query.hashesOnly)
        return gossipPage(
          Array.from(found, (arrival) => gossipItem(arrival, null)),
          query,
        );
      const records = found.map((arrival) => ({
        ...(arrivals.bodies([arrival.hash])[0] as Transaction),
        ...placeOf(arrival),
      }));
      return gossipPage(
        cutPage(records, () => true).map((record) => gossipItem(record, record)),
        query,
      );
    },
    payloads: (hashes) => arrivals.bodies(hashes),
    peekParked: () => [],
    flush: (context) => write('flush', context, (view) => flushStep(view, arrivals.pending())),
    setLimits,
  };
}

function placeOf({ hash, seq, bytes }: Arrival): Arrival {
  return { hash, seq, bytes };
}
