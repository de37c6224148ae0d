import type { ConformanceCase } from '../../case/case.ts';
import { revisionInterruptionCases } from '../operations/interruption.ts';
import { chanceCases } from './chance.ts';
import { exampleCases } from './examples.ts';
import { fifoCases, fifoClaimCases } from './fifo.ts';
import { gossipCases } from './gossip.ts';
import { poolInputCases } from './input.ts';
import { lookupCases } from './lookups.ts';
import { poolNodeCases } from './nodes.ts';
import { poolOperationCases } from './operations.ts';
import { parkingCases } from './parking.ts';
import { orderCases, placeCases } from './places.ts';
import { reapingCases } from './reaping.ts';
import { poolReopeningCases } from './reopening.ts';

/** The cases of P1–P32 that need a priority pool, or a fifo pool. */
export const priorityCases: readonly ConformanceCase[] = [
  ...placeCases,
  ...orderCases,
  ...parkingCases,
  ...exampleCases,
  ...reapingCases,
  ...gossipCases,
  ...lookupCases,
  ...revisionInterruptionCases,
  ...poolOperationCases,
  ...poolReopeningCases,
  ...poolNodeCases,
  ...poolInputCases,
  ...fifoCases,
  ...fifoClaimCases,
  ...chanceCases,
];
