import type { ConformanceCase } from '../case.ts';
import { revisionInterruptionCases } from './interruption.ts';
import { admissionCases } from './priority-admission.ts';
import { arrivalCases } from './priority-arrival.ts';
import { arrivalLeaseCases } from './priority-arrival-leases.ts';
import { boundCases } from './priority-bounds.ts';
import { chainTagCases } from './priority-chain.ts';
import { chanceCases } from './priority-chance.ts';
import { drainCases } from './priority-drain.ts';
import { evictionCases } from './priority-eviction.ts';
import { forkCases } from './priority-forks.ts';
import { gossipCases } from './priority-gossip.ts';
import { poolInputCases } from './priority-input.ts';
import { limitCases } from './priority-limits.ts';
import { poolNodeCases } from './priority-nodes.ts';
import { poolOperationCases } from './priority-operations.ts';
import { orderCases } from './priority-order.ts';
import { parkingCases } from './priority-parking.ts';
import { placeCases } from './priority-places.ts';
import { reapingCases } from './priority-reaping.ts';
import { recheckCases } from './priority-recheck.ts';
import { poolReopeningCases } from './priority-reopening.ts';
import { replacementCases } from './priority-replacement.ts';
import { returningCases } from './priority-returning.ts';
import { revivedEntryCases } from './priority-revival.ts';
import { sweepingCases } from './priority-sweeping.ts';
import { takingCases } from './priority-taking.ts';

/** The cases of pools with limits and an order of their own: P1–P18. */
export const priorityCases: readonly ConformanceCase[] = [
  ...placeCases,
  ...orderCases,
  ...parkingCases,
  ...admissionCases,
  ...boundCases,
  ...replacementCases,
  ...evictionCases,
  ...limitCases,
  ...reapingCases,
  ...takingCases,
  ...sweepingCases,
  ...gossipCases,
  ...recheckCases,
  ...revisionInterruptionCases,
  ...chainTagCases,
  ...returningCases,
  ...forkCases,
  ...revivedEntryCases,
  ...drainCases,
  ...poolOperationCases,
  ...poolReopeningCases,
  ...poolNodeCases,
  ...poolInputCases,
  ...arrivalCases,
  ...arrivalLeaseCases,
  ...chanceCases,
];
