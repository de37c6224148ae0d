import { abortMutants } from './abort.ts';
import { acknowledgedMutants } from './acknowledged.ts';
import { byteMutants } from './bytes.ts';
import { chainMutants, tipMutants } from './chain.ts';
import { closingMutants } from './closing.ts';
import { confirmationMutants, thresholdMutants } from './confirmation.ts';
import { rollbackDepthMutants } from './depth.ts';
import { electionMutants } from './elections.ts';
import { eventLogMutants } from './event-log.ts';
import { eventMutants } from './events.ts';
import { fencingMutants } from './fencing.ts';
import { inputMutants } from './input.ts';
import { leaseTimeMutants } from './lease-time.ts';
import { leaseMutants } from './leases.ts';
import { logMutants } from './log.ts';
import { matrixMutants } from './matrix.ts';
import type { Mutant } from './mutant.ts';
import { onceMutants } from './once.ts';
import { operationArgumentMutants } from './operation-arguments.ts';
import { operationMutants, sharedRecordMutants } from './operations.ts';
import { pageMutants } from './paging.ts';
import { priorityMutants } from './priorities.ts';
import { propagationMutants } from './propagation.ts';
import { receivingMutants } from './receiving.ts';
import { revivalMutants } from './revival.ts';
import { rollbackMutants } from './rollback.ts';
import { sightingMutants } from './sightings.ts';
import { statusMutants } from './status.ts';
import { streamMutants } from './streams.ts';

/** Every store with a fault. */
export const allMutants: readonly Mutant[] = [
  ...receivingMutants,
  ...propagationMutants,
  ...confirmationMutants,
  ...thresholdMutants,
  ...revivalMutants,
  ...sightingMutants,
  ...rollbackMutants,
  ...rollbackDepthMutants,
  ...matrixMutants,
  ...acknowledgedMutants,
  ...inputMutants,
  ...onceMutants,
  ...operationMutants,
  ...operationArgumentMutants,
  ...sharedRecordMutants,
  ...chainMutants,
  ...tipMutants,
  ...pageMutants,
  ...statusMutants,
  ...logMutants,
  ...eventMutants,
  ...eventLogMutants,
  ...streamMutants,
  ...byteMutants,
  ...closingMutants,
  ...abortMutants,
  ...fencingMutants,
  ...leaseMutants,
  ...leaseTimeMutants,
  ...electionMutants,
  ...priorityMutants,
];
