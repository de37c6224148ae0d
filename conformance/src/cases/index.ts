import type { ConformanceCase } from '../case/case.ts';
import { onBothOrderings } from '../case/ordering.ts';
import type { AnySubject } from '../case/subject.ts';
import { chainCases } from './blocks/chain.ts';
import { inclusionCases } from './blocks/inclusions.ts';
import { rollbackDepthCases } from './blocks/rollback.ts';
import { abortCases } from './boundary/abort.ts';
import { closingCases, processCases } from './boundary/closing.ts';
import { hashFormCases } from './boundary/hash-forms.ts';
import { inputCases } from './boundary/input.ts';
import { nameCases } from './boundary/names.ts';
import { crashCases } from './crash/crash.ts';
import { damageCases } from './crash/damage.ts';
import { verdictDamageCases } from './crash/damaged-verdicts.ts';
import { reopeningCases } from './crash/reopening.ts';
import { stoppingCases } from './crash/stopping.ts';
import { fencedAnswerCases, fencingCases } from './elections/fencing.ts';
import { hintCases, leaseEndingCases } from './elections/lease-ending.ts';
import { leaseTimeCases } from './elections/lease-time.ts';
import { leaseCases, leaseHistoryCases, leaseHoldingCases } from './elections/leases.ts';
import { electionNodeCases, electionProgressCases } from './elections/nodes.ts';
import { electionOrderCases } from './elections/order.ts';
import { causeCases } from './events/causes.ts';
import { eventCases } from './events/events.ts';
import { streamCases } from './events/streams.ts';
import { ledgerCases } from './ledger/index.ts';
import { confirmationCases, thresholdCases } from './lifecycle/confirmation.ts';
import { factCases, overdueCases } from './lifecycle/facts.ts';
import { historyCases } from './lifecycle/history.ts';
import { matrixCases } from './lifecycle/matrix.ts';
import { propagationCases } from './lifecycle/propagation.ts';
import { receivingCases, revivalCases } from './lifecycle/receiving.ts';
import { statusCases } from './lifecycle/status.ts';
import { nodeCases, nodeEventCases, racingCases } from './nodes/nodes.ts';
import { poolCases } from './nodes/pools.ts';
import { interruptionCases } from './operations/interruption.ts';
import { atomicityCases, onceCases } from './operations/once.ts';
import { operationCases } from './operations/operations.ts';
import { claimCases } from './priority/claims.ts';
import { holdingCases } from './priority/holding.ts';
import { priorityCases } from './priority/index.ts';
import { payloadCases } from './priority/payloads.ts';
import { byteCases } from './reading/bytes.ts';
import { confirmedCases } from './reading/confirmed.ts';
import { cursorCases } from './reading/cursors.ts';
import { logCases } from './reading/log.ts';
import { pagingCases } from './reading/paging.ts';
import { importingCases, rankedImportingCases } from './records/importing.ts';
import { interruptedImportCases } from './records/interrupted-imports.ts';
import { fullRecordCases, recordCases } from './records/records.ts';
import { removingCases } from './records/removing.ts';
import { recordTimeCases } from './records/times.ts';

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
  ...inclusionCases,
  ...rollbackDepthCases,
  ...matrixCases,
  ...atomicityCases,
  ...operationCases,
  ...chainCases,
  ...pagingCases,
  ...cursorCases,
  ...statusCases,
  ...logCases,
  ...confirmedCases,
  ...factCases,
  ...eventCases,
  ...causeCases,
  ...streamCases,
  ...byteCases,
  ...onceCases,
  ...inputCases,
  ...hashFormCases,
  ...closingCases,
  ...abortCases,
  ...interruptionCases,
  ...processCases,
  ...poolCases,
  ...nameCases,
  ...reopeningCases,
  ...damageCases,
  ...crashCases,
  ...stoppingCases,
  ...nodeCases,
  ...nodeEventCases,
  ...racingCases,
  ...fencingCases,
  ...fencedAnswerCases,
  ...recordCases,
  ...recordTimeCases,
  ...claimCases,
  ...holdingCases,
  ...payloadCases,
  ...overdueCases,
  ...importingCases,
  ...interruptedImportCases,
  ...removingCases,
];

/** Every case of the suite, in the order of the rules. Cases for every pool run on pools of both orderings. */
export const allCases: readonly ConformanceCase[] = [
  ...onBothOrderings(poolRuleCases),
  ...electionCases,
  ...priorityCases,
  ...historyCases,
  ...verdictDamageCases,
  ...fullRecordCases,
  ...rankedImportingCases,
];

/** The cases that apply to a subject: those of its ledger, its election or its pools. */
export function casesOf(subject: AnySubject): readonly ConformanceCase[] {
  if ('backend' in subject) return allCases;
  return 'ledger' in subject ? ledgerCases : electionCases;
}

/** Those of pools, elections and ledgers. */
export const everyCase: readonly ConformanceCase[] = [...allCases, ...ledgerCases];
