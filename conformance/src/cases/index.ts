import type { ConformanceCase } from '../case.ts';
import { onBothOrderings } from '../ordering.ts';
import type { AnySubject } from '../subject.ts';
import { abortCases } from './abort.ts';
import { atomicityCases } from './atomicity.ts';
import { byteCases } from './bytes.ts';
import { chainCases } from './chain.ts';
import { closingCases } from './closing.ts';
import { confirmationCases } from './confirmation.ts';
import { crashCases } from './crash.ts';
import { damageCases, entryDamageCases } from './damage.ts';
import { rollbackDepthCases } from './depth.ts';
import { electionNodeCases } from './election.ts';
import { electionOrderCases } from './election-order.ts';
import { electionProgressCases } from './election-progress.ts';
import { eventContentCases } from './event-content.ts';
import { eventCases } from './events.ts';
import { fencedAnswerCases } from './fenced-answers.ts';
import { fencingCases } from './fencing.ts';
import { historyCases } from './history.ts';
import { inputCases } from './input.ts';
import { interruptionCases } from './interruption.ts';
import { hintCases, leaseEndingCases } from './lease-ending.ts';
import { leaseHistoryCases } from './lease-history.ts';
import { leaseHoldingCases } from './lease-holding.ts';
import { leaseTimeCases } from './lease-time.ts';
import { leaseCases } from './leases.ts';
import { logCases } from './log.ts';
import { matrixCases } from './matrix.ts';
import { nameCases } from './names.ts';
import { nodeCases, nodeEventCases } from './nodes.ts';
import { onceCases } from './once.ts';
import { operationCases } from './operations.ts';
import { pagingCases } from './paging.ts';
import { poolCases } from './pools.ts';
import { priorityCases } from './priority.ts';
import { priorityHistoryCases } from './priority-history.ts';
import { processCases } from './process.ts';
import { propagationCases } from './propagation.ts';
import { racingCases } from './racing.ts';
import { receivingCases } from './receiving.ts';
import { reopeningCases } from './reopening.ts';
import { revivalCases } from './revival.ts';
import { rollbackCases } from './rollback.ts';
import { sightingCases } from './sightings.ts';
import { statusCases } from './status.ts';
import { stoppingCases } from './stopping.ts';
import { streamCases } from './streams.ts';
import { thresholdCases } from './thresholds.ts';

/** The cases of an election, with or without a mempool: LE1–LE8. */
export const electionCases: readonly ConformanceCase[] = [
  ...leaseCases,
  ...leaseHistoryCases,
  ...leaseHoldingCases,
  ...leaseTimeCases,
  ...hintCases,
  ...leaseEndingCases,
  ...electionNodeCases,
  ...electionOrderCases,
  ...electionProgressCases,
];

/** The rules of every pool, whatever its order. */
const poolRuleCases: readonly ConformanceCase[] = [
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
  ...onceCases,
  ...inputCases,
  ...closingCases,
  ...abortCases,
  ...interruptionCases,
  ...processCases,
  ...poolCases,
  ...nameCases,
  ...historyCases,
  ...reopeningCases,
  ...damageCases,
  ...crashCases,
  ...stoppingCases,
  ...nodeCases,
  ...nodeEventCases,
  ...racingCases,
  ...fencingCases,
  ...fencedAnswerCases,
];

/** Every case of the suite, in the order of the rules: those of every pool on pools of both orderings. */
export const allCases: readonly ConformanceCase[] = [
  ...onBothOrderings(poolRuleCases),
  ...electionCases,
  ...priorityCases,
  ...priorityHistoryCases,
  ...entryDamageCases,
];

/** The cases that a subject is for: an election alone has no pool to test. */
export function casesOf(subject: AnySubject): readonly ConformanceCase[] {
  return 'backend' in subject ? allCases : electionCases;
}
