import type { ConformanceCase } from '../../case/case.ts';
import { revisionInterruptionCases } from '../operations/interruption.ts';
import { admissionCases } from './admission.ts';
import { chainTagCases } from './chain-tags.ts';
import { chanceCases } from './chance.ts';
import { drainCases } from './drain.ts';
import { evictionCases } from './eviction.ts';
import { fifoCases, fifoClaimCases } from './fifo.ts';
import { floorCases } from './floor.ts';
import { gossipCases } from './gossip.ts';
import { poolInputCases } from './input.ts';
import { limitCases } from './limits.ts';
import { lookupCases } from './lookups.ts';
import { poolNodeCases } from './nodes.ts';
import { poolOperationCases } from './operations.ts';
import { parkingCases } from './parking.ts';
import { parkingRoomCases } from './parking-room.ts';
import { placeEventCases } from './place-events.ts';
import { orderCases, placeCases } from './places.ts';
import { protectionCases } from './protection.ts';
import { reapingCases } from './reaping.ts';
import { recheckCases } from './recheck.ts';
import { poolReopeningCases } from './reopening.ts';
import { replacementCases } from './replacement.ts';
import { sweepingCases } from './sweeping.ts';
import { takingCases } from './taking.ts';
import { tipCases } from './tips.ts';
import { waitingRoomCases } from './waiting-room.ts';
import { walkingCases } from './walking.ts';

/** The cases of P1–P32 that need a priority pool, or a fifo pool. */
export const priorityCases: readonly ConformanceCase[] = [
  ...placeCases,
  ...orderCases,
  ...parkingCases,
  ...parkingRoomCases,
  ...waitingRoomCases,
  ...admissionCases,
  ...replacementCases,
  ...evictionCases,
  ...limitCases,
  ...floorCases,
  ...protectionCases,
  ...tipCases,
  ...reapingCases,
  ...walkingCases,
  ...takingCases,
  ...sweepingCases,
  ...gossipCases,
  ...recheckCases,
  ...lookupCases,
  ...placeEventCases,
  ...revisionInterruptionCases,
  ...chainTagCases,
  ...drainCases,
  ...poolOperationCases,
  ...poolReopeningCases,
  ...poolNodeCases,
  ...poolInputCases,
  ...fifoCases,
  ...fifoClaimCases,
  ...chanceCases,
];
