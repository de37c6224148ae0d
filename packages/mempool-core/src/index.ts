export * from './answers.ts';
export type { ArrivalStep } from './arrival-change.ts';
export type { ArrivalVerbs } from './arrival-driver.ts';
export { arrivalLimits } from './arrival-limits.ts';
export * from './arrival-reap.ts';
export { endedLeases, takenBy } from './arrival-state.ts';
export * from './arrival-step.ts';
export { type Backend, type BackendDefinition, defineBackend } from './backend.ts';
export type { Backends, ImportModule } from './backend-module.ts';
export type { Capabilities } from './capabilities.ts';
export type * from './chain-source.ts';
export * from './change.ts';
export {
  bytesToHash,
  decodeEvents,
  decodePoint,
  decodeValue,
  encodePoint,
  encodeValue,
  formatVersion,
  hashToBytes,
  payloadChecksum,
} from './codec.ts';
export type { DolosConfig, DolosMempoolSection, MempoolConfig } from './config.ts';
export { parseConfig } from './config.ts';
export { type ConfigOverrides, loadConfig } from './config-file.ts';
export { lostEnd, lostEntry } from './damage.ts';
export type * from './driver.ts';
export {
  invalid,
  isMempoolError,
  MempoolError,
  type MempoolErrorCode,
  type MempoolErrorDetails,
  mempoolErrorCodes,
} from './errors.ts';
export { encodeArrivals, encodeEvents, pointBytes } from './event-encoder.ts';
export type * from './events.ts';
export type { WaitOptions, WaitStage } from './goal.ts';
export type { KeptBlock } from './kept-blocks.ts';
export * from './lease.ts';
export { Ledger } from './ledger.ts';
export { type Done, type LedgerDriverParts, ledgerDriver } from './ledger-driver.ts';
export type { LedgerRecord } from './ledger-record.ts';
export * from './lifecycle.ts';
export { Mempool } from './mempool.ts';
export type { MempoolOptions } from './mempool-options.ts';
export type { MempoolReader } from './mempool-reader.ts';
export { checkNode } from './node-version.ts';
export { type OpenMempoolOptions, openMempool } from './open-mempool.ts';
export {
  defaultRetention,
  type Logger,
  type LogLevel,
  maxOperations,
  type OpenOptions,
  type Retention,
} from './options.ts';
export * from './ordering.ts';
export { decodeOutcome, encodeOutcome, operationReused } from './outcome-record.ts';
export type { LogWalkOptions, SeqWalkOptions, WalkOptions } from './pages.ts';
export { leaseEnd, momentOf, poolClock } from './pool-clock.ts';
export { account, accountTag, type Nonce } from './priority/account.ts';
export { decodeChange, encodeChange } from './priority/change-record.ts';
export type { Planning } from './priority/draft.ts';
export { dumpOf } from './priority/dump.ts';
export type * from './priority/entry.ts';
export { decodeEntry, encodeEntry } from './priority/entry-record.ts';
export type { Gossip, GossipOptions } from './priority/gossip.ts';
export * from './priority/limits.ts';
export { onePerSender } from './priority/one-per-sender.ts';
export { comparePlaces, decodePlace, encodePlace, type Place, placeBelow } from './priority/place.ts';
export { PoolIndex } from './priority/pool-index.ts';
export type { PlacedNode, PoolNode } from './priority/pool-node.ts';
export type * from './priority/pool-verbs.ts';
export { type PriorityStorage, priorityDriver } from './priority/priority-driver.ts';
export { type PriorityLedgerParts, priorityLedgerDriver } from './priority/priority-ledger.ts';
export {
  changeOfStep,
  changesPool,
  type PoolChange,
  type PoolRecord,
  PriorityPool,
  type PriorityPoolParts,
} from './priority/priority-pool.ts';
export type * from './priority/priority-verbs.ts';
export type { Recheck, RecheckOptions } from './priority/recheck.ts';
export { type Inputs, utxo, utxoLimits, utxoTags } from './priority/utxo.ts';
export {
  type CheckedVerdict,
  defaultVerdict,
  isRefusal,
  maxPriority,
  minPriority,
  type Refusal,
  type Verdict,
} from './priority/verdict.ts';
export { type RetryOptions, retryUntil } from './retry.ts';
export type { Schedule } from './schedule.ts';
export * from './step.ts';
export type * from './store.ts';
export { copyTransactions } from './submissions.ts';
export * from './transaction.ts';
export type { Answer, Refused, SubmitOptions, SubmitOutcome, Validate, ValidateContext } from './validation.ts';
export { Watcher } from './watcher.ts';
export type * from './watcher-events.ts';
export type { WatcherElection, WatcherOptions, WatcherPool } from './watcher-options.ts';
export { WriteLine } from './write-line.ts';
