import { abortMutants } from './abort.ts';
import { byteMutants, closingMutants, inputMutants, onceMutants } from './boundary.ts';
import { chainMutants, rollbackDepthMutants, rollbackMutants } from './chain.ts';
import { claimMutants, holdingMutants } from './claims.ts';
import { confirmationMutants, sightingMutants, thresholdMutants } from './confirmation.ts';
import { cursorMutants } from './cursors.ts';
import { electionMutants } from './elections.ts';
import { eventLogMutants, eventMutants, streamMutants } from './events.ts';
import { factMutants, overdueMutants } from './facts.ts';
import { fencingMutants } from './fencing.ts';
import { arrivalLeaseMutants, arrivalMutants } from './fifo-claims.ts';
import { movingFloorMutants } from './floor.ts';
import { hashFormMutants } from './hash-forms.ts';
import { importingMutants, rankedImportingMutants } from './importing.ts';
import { leaseMutants, leaseTimeMutants } from './leases.ts';
import { matrixMutants, propagationMutants, receivingMutants } from './lifecycle.ts';
import { lookupMutants } from './lookups.ts';
import type { Mutant } from './mutant.ts';
import { operationMutants } from './operations.ts';
import { parkingRoomMutants } from './parking-room.ts';
import { payloadMutants } from './payloads.ts';
import { placeEventMutants } from './place-events.ts';
import { admissionMutants } from './priority-admission.ts';
import { poolInputMutants } from './priority-calls.ts';
import { chainTagMutants, recheckMutants } from './priority-chain.ts';
import { evictionMutants, floorMutants, replacementMutants } from './priority-eviction.ts';
import { orderMutants, parkingMutants, placeMutants } from './priority-order.ts';
import { gossipMutants, reapingMutants, walkingMutants } from './priority-reading.ts';
import { limitMutants, sweepingMutants, takingMutants } from './priority-sweeping.ts';
import { confirmedMutants, logMutants, pageMutants, statusMutants } from './reads.ts';
import { recordFenceMutants, recordMutants } from './records.ts';
import { removingMutants } from './removing.ts';
import { protectionMutants, tippedMutants } from './verdict-fields.ts';
import { waitingRoomMutants } from './waiting-room.ts';

/** Every store with a fault. */
export const allMutants: readonly Mutant[] = [
  ...importingMutants,
  ...rankedImportingMutants,
  ...receivingMutants,
  ...propagationMutants,
  ...confirmationMutants,
  ...thresholdMutants,
  ...sightingMutants,
  ...rollbackMutants,
  ...rollbackDepthMutants,
  ...matrixMutants,
  ...inputMutants,
  ...hashFormMutants,
  ...onceMutants,
  ...operationMutants,
  ...chainMutants,
  ...pageMutants,
  ...cursorMutants,
  ...statusMutants,
  ...logMutants,
  ...confirmedMutants,
  ...eventMutants,
  ...eventLogMutants,
  ...factMutants,
  ...streamMutants,
  ...byteMutants,
  ...closingMutants,
  ...abortMutants,
  ...fencingMutants,
  ...leaseMutants,
  ...leaseTimeMutants,
  ...electionMutants,
  ...placeMutants,
  ...orderMutants,
  ...parkingMutants,
  ...admissionMutants,
  ...parkingRoomMutants,
  ...waitingRoomMutants,
  ...lookupMutants,
  ...payloadMutants,
  ...placeEventMutants,
  ...replacementMutants,
  ...evictionMutants,
  ...floorMutants,
  ...limitMutants,
  ...movingFloorMutants,
  ...protectionMutants,
  ...tippedMutants,
  ...reapingMutants,
  ...walkingMutants,
  ...takingMutants,
  ...sweepingMutants,
  ...gossipMutants,
  ...recheckMutants,
  ...chainTagMutants,
  ...poolInputMutants,
  ...arrivalMutants,
  ...arrivalLeaseMutants,
  ...claimMutants,
  ...holdingMutants,
  ...overdueMutants,
  ...recordMutants,
  ...recordFenceMutants,
  ...removingMutants,
];
