export { encodeBatch, readBatch } from './codec/batch.ts';
export { encodeSubmission, readStored, readSubmission } from './codec/message.ts';
export { encodeEndorsement } from './codec/validator-message.ts';
export * from './contract/batch.ts';
export type { ChainEvent, RefusedRelease } from './contract/chain.ts';
export type * from './contract/epoch.ts';
export * from './contract/submission.ts';
export { Aggregator } from './roles/aggregator.ts';
export type { AggregatorOptions, SignedDigest } from './roles/aggregator-options.ts';
export { type BroadcastOptions, broadcast } from './roles/broadcast.ts';
export { Dequeuer, type DequeuerOptions } from './roles/dequeuer.ts';
export { Finalizer, type FinalizerOptions, type PartItem } from './roles/finalizer.ts';
export { type Arrival, Gateway, type GatewayOptions } from './roles/gateway.ts';
export {
  EpochMonitor,
  type EpochMonitorOptions,
  LateReleaseError,
  type LeaderPart,
  RefusedReleaseError,
} from './roles/monitor.ts';
export { RecordsFillingError } from './roles/pruning.ts';
export type { CollectOptions } from './roles/receiving.ts';
export { forgetEpochs, type RetentionOptions } from './roles/retention.ts';
export { type Opening, Window } from './roles/window.ts';
export { agreementDigest, batchDigest, merkleRoot, submissionDigest, validatorsDigest } from './rules/digest.ts';
export { type EpochGap, type GapFacts, type GapGrace, type GapKind, gapGrace, gapKinds, gapsOf } from './rules/gaps.ts';
export {
  addParticipation,
  countParticipation,
  type EpochOutcome,
  type Participation,
  type ParticipationCounts,
  participationOf,
} from './rules/participation.ts';
export { partProjects, partsOf } from './rules/parts.ts';
export {
  type EpochRow,
  type EpochStep,
  epochSteps,
  firstStates,
  isEnded,
  level1States,
  level2States,
  onchainStates,
  phaseAliases,
  phases,
  stepped,
} from './rules/phases.ts';
export { agree, type CountedBatch, certify, quorum } from './rules/quorum.ts';
export { type Tally, tally, winner, winners } from './rules/tally.ts';
export { openSequencer, Sequencer, type SequencerOptions } from './sequencer.ts';
export type { Receipt } from './store/batches.ts';
export { ClockError, clockLimits, type StoreClock } from './store/clock.ts';
export { type EpochFacts, Epochs } from './store/epochs.ts';
export { type PoolNames, poolNames, prefixOf, recordNames } from './store/names.ts';
export { type Namespace, type NamespaceOptions, type OpeningOptions, openNamespace } from './store/namespace.ts';
export { DeposedError, type Read, type Records } from './store/records.ts';
