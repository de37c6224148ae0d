import { acknowledgedPriorityMutants } from './acknowledged.ts';
import type { Mutant } from './mutant.ts';
import { admissionMutants } from './priority-admission.ts';
import { arrivalMutants } from './priority-arrival.ts';
import { arrivalLeaseMutants } from './priority-arrival-leases.ts';
import { boundMutants } from './priority-bounds.ts';
import { chainTagMutants } from './priority-chain.ts';
import { drainMutants } from './priority-drain.ts';
import { evictionMutants, floorMutants } from './priority-eviction.ts';
import { gossipMutants } from './priority-gossip.ts';
import { poolInputMutants } from './priority-input.ts';
import { priorityLifecycleMutants } from './priority-lifecycle.ts';
import { limitMutants } from './priority-limits.ts';
import { poolOperationMutants } from './priority-operations.ts';
import { orderMutants, storeOrderMutants } from './priority-order.ts';
import { parkingMutants } from './priority-parking.ts';
import { placeMutants } from './priority-places.ts';
import { reapingMutants } from './priority-reaping.ts';
import { recheckMutants } from './priority-recheck.ts';
import { priceMutants, replacementMutants } from './priority-replacement.ts';
import { forkMutants, returningMutants } from './priority-returning.ts';
import { senderMutants } from './priority-senders.ts';
import { sweepingMutants } from './priority-sweeping.ts';
import { takingMutants } from './priority-taking.ts';

/** Stores whose pools by priority have a fault. */
export const priorityMutants: readonly Mutant[] = [
  ...placeMutants,
  ...orderMutants,
  ...storeOrderMutants,
  ...parkingMutants,
  ...admissionMutants,
  ...boundMutants,
  ...senderMutants,
  ...priceMutants,
  ...replacementMutants,
  ...evictionMutants,
  ...floorMutants,
  ...limitMutants,
  ...reapingMutants,
  ...takingMutants,
  ...sweepingMutants,
  ...gossipMutants,
  ...recheckMutants,
  ...forkMutants,
  ...chainTagMutants,
  ...returningMutants,
  ...drainMutants,
  ...poolOperationMutants,
  ...poolInputMutants,
  ...arrivalMutants,
  ...priorityLifecycleMutants,
  ...acknowledgedPriorityMutants,
  ...arrivalLeaseMutants,
];
