import type { ChainContext, DriverOptions, StoreDriver, WriteContext } from '../driver.ts';
import { isFenced, type LeaseSource } from '../lease.ts';
import { type FencedOutcome, ledgerReads } from '../ledger-driver.ts';
import { cutPage } from '../ordering.ts';
import { poolClock } from '../pool-clock.ts';
import { recorded, type Step } from '../step.ts';
import type { Planning } from './draft.ts';
import { dumpOf } from './dump.ts';
import { momentIn, type PriorityStorage, priorityDriver } from './priority-driver.ts';
import type { PriorityPool } from './priority-pool.ts';
import { admitStrangers, areStrangers } from './turn-over.ts';

export interface PriorityLedgerParts {
  readonly pool: PriorityPool;
  readonly options: Pick<DriverOptions, 'thresholds' | 'election' | 'fenced' | 'now'>;
  /** Who leads (X6); without it nobody ever does. */
  readonly leases?: LeaseSource | undefined;
  close(): void;
}

/** How such a pool is written and read. */
function ledgerStorage({ pool, options, leases }: PriorityLedgerParts, clock: () => number): PriorityStorage {
  const { ledger } = pool;
  const { election, fenced } = options;

  function write<T>(verb: string, { operationId }: WriteContext, plan: (pool: Planning, nowMs: number) => Step<T>): T {
    const known = ledger.findOperation<T>(verb, operationId);
    if (known !== null) return known.outcome;
    return pool.commit(
      (planning) => plan(planning, clock()),
      (step) => recorded(step, verb, operationId),
    );
  }

  /** X6: a call that was answered before is answered again, whoever leads by now. */
  function writeUnderLease<T>(
    verb: string,
    context: ChainContext,
    plan: (pool: Planning, nowMs: number) => Step<T>,
  ): T | FencedOutcome {
    const known = ledger.findOperation<T>(verb, context.operationId);
    if (known !== null) return known.outcome;
    if (isFenced(leases?.held(election) ?? null, context.lease, fenced))
      return { kind: 'fenced', tip: ledger.currentTip };
    return write(verb, context, (planning, nowMs) => {
      const step = plan(planning, nowMs);
      if (step.chain !== null && context.lease !== null) leases?.extend(election);
      return step;
    });
  }

  return {
    read: (_context, read) => read(pool),
    write,
    writeUnderLease,
    stored: (_context, choose) => cutPage(ledger.stored(choose(pool)), () => true),
    bodies: (_context, hashes) => ledger.arrivals.bodies(hashes),
    dump: () => dumpOf(pool.index),
  };
}

/** Every verb of a backend whose priority pool is in memory, payloads and all. */
export function priorityLedgerDriver(parts: PriorityLedgerParts): StoreDriver {
  const { pool, options, close } = parts;
  const clock = poolClock(options);
  const driver = priorityDriver(ledgerStorage(parts, clock), options);
  return {
    copiesPayloads: true,
    ...ledgerReads(pool.ledger),
    ...driver,
    admit(submissions, moment, context) {
      if (context.operationId !== undefined || !areStrangers(pool, submissions))
        return driver.admit(submissions, moment, context);
      return admitStrangers(pool, submissions, momentIn(pool, clock(), moment));
    },
    close,
  };
}
