import type { ConformanceCase } from '../case.ts';
import { abortCases } from './abort.ts';
import { atomicityCases } from './atomicity.ts';
import { byteCases } from './bytes.ts';
import { chainCases } from './chain.ts';
import { closingCases } from './closing.ts';
import { confirmationCases } from './confirmation.ts';
import { crashCases } from './crash.ts';
import { rollbackDepthCases } from './depth.ts';
import { eventContentCases } from './event-content.ts';
import { eventCases } from './events.ts';
import { historyCases } from './history.ts';
import { inputCases } from './input.ts';
import { logCases } from './log.ts';
import { matrixCases } from './matrix.ts';
import { nodeCases, nodeEventCases } from './nodes.ts';
import { operationCases } from './operations.ts';
import { pagingCases } from './paging.ts';
import { poolCases } from './pools.ts';
import { processCases } from './process.ts';
import { propagationCases } from './propagation.ts';
import { racingCases } from './racing.ts';
import { receivingCases } from './receiving.ts';
import { reopeningCases } from './reopening.ts';
import { revivalCases, sightingCases } from './revival.ts';
import { rollbackCases } from './rollback.ts';
import { statusCases } from './status.ts';
import { streamCases } from './streams.ts';
import { thresholdCases } from './thresholds.ts';

/** Every case of the suite, in the order of the rules. */
export const allCases: readonly ConformanceCase[] = [
  ...receivingCases,
  ...propagationCases,
  ...confirmationCases,
  ...thresholdCases,
  ...revivalCases,
  ...sightingCases,
  ...rollbackCases,
  ...rollbackDepthCases,
  ...matrixCases,
  ...atomicityCases,
  ...operationCases,
  ...chainCases,
  ...pagingCases,
  ...statusCases,
  ...logCases,
  ...eventCases,
  ...eventContentCases,
  ...streamCases,
  ...byteCases,
  ...inputCases,
  ...closingCases,
  ...abortCases,
  ...processCases,
  ...poolCases,
  ...historyCases,
  ...reopeningCases,
  ...crashCases,
  ...nodeCases,
  ...nodeEventCases,
  ...racingCases,
];
