export { type Backend, type BackendDefinition, defineBackend } from './boundary/define-backend.ts';
export { checkNode } from './boundary/node-version.ts';
export { copyTransactions } from './boundary/submissions.ts';
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
} from './codec/codec.ts';
export { decodeEntry, encodeEntry } from './codec/entry-record.ts';
export { encodeArrivals, encodeEvents, pointBytes } from './codec/event-encoder.ts';
export { decodeOutcome, encodeOutcome, operationReused } from './codec/outcome-record.ts';
export type { Backends, ImportModule } from './config/backend-module.ts';
export type { DolosConfig, DolosMempoolSection, MempoolConfig } from './config/config.ts';
export { parseConfig } from './config/config.ts';
export { type ConfigOverrides, loadConfig } from './config/config-file.ts';
export { type OpenMempoolOptions, openMempool } from './config/open-mempool.ts';
export type { Capabilities } from './contract/capabilities.ts';
export type * from './contract/driver.ts';
export {
  invalid,
  isMempoolError,
  MempoolError,
  type MempoolErrorCode,
  type MempoolErrorDetails,
  mempoolErrorCodes,
} from './contract/errors.ts';
export type * from './contract/events.ts';
export * from './contract/lease.ts';
export * from './contract/lifecycle.ts';
export * from './contract/limits.ts';
export {
  defaultRetention,
  type Logger,
  type LogLevel,
  maxOperations,
  type OpenOptions,
  type Retention,
} from './contract/options.ts';
export { comparePlaces, decodePlace, encodePlace, type Place, placeBelow } from './contract/order-key.ts';
export * from './contract/page-rules.ts';
export type * from './contract/pool-driver.ts';
export type * from './contract/pool-entry.ts';
export type * from './contract/pool-verbs.ts';
export type * from './contract/store.ts';
export * from './contract/transaction.ts';
export {
  type CheckedVerdict,
  defaultVerdict,
  isRefusal,
  maxPriority,
  minPriority,
  type Refusal,
  type Verdict,
} from './contract/verdict.ts';
export type { ArrivalVerbs } from './drivers/fifo-driver.ts';
export { type Done, type LedgerDriverParts, ledgerDriver } from './drivers/ledger-driver.ts';
export { WriteLine } from './drivers/ordered-writer.ts';
export { type PriorityStorage, priorityDriver } from './drivers/priority-driver.ts';
export { type PriorityLedgerParts, priorityLedgerDriver } from './drivers/priority-ledger-driver.ts';
export { type RetryOptions, retryUntil } from './drivers/retry.ts';
export type { KeptBlock } from './memory/kept-blocks.ts';
export { Ledger } from './memory/ledger.ts';
export type { LedgerRecord } from './memory/ledger-record.ts';
export { account, accountTag, type Nonce } from './mempool/account.ts';
export type { Gossip, GossipOptions } from './mempool/gossip.ts';
export { Mempool } from './mempool/mempool.ts';
export type { MempoolOptions } from './mempool/mempool-options.ts';
export type { MempoolReader } from './mempool/mempool-reader.ts';
export { onePerSender } from './mempool/one-per-sender.ts';
export type { LogWalkOptions, SeqWalkOptions, WalkOptions } from './mempool/pages.ts';
export type { Recheck, RecheckOptions } from './mempool/recheck.ts';
export type { Schedule } from './mempool/schedule.ts';
export { type Inputs, utxo, utxoLimits, utxoTags } from './mempool/utxo.ts';
export type { Answer, Refused, SubmitOptions, SubmitOutcome, Validate, ValidateContext } from './mempool/validation.ts';
export type { WaitOptions, WaitStage } from './mempool/wait-goal.ts';
export { decodeChange, encodeChange } from './priority/change-record.ts';
export { dumpOf } from './priority/dump.ts';
export { PoolIndex } from './priority/pool-index.ts';
export type { PlacedNode, PoolNode } from './priority/pool-node.ts';
export {
  changeOfStep,
  changesPool,
  type PoolChange,
  type PoolRecord,
  PriorityPool,
  type PriorityPoolParts,
} from './priority/priority-pool.ts';
export type { Planning } from './priority/step-builder.ts';
export * from './rules/answers.ts';
export * from './rules/change.ts';
export { lostEnd, lostEntry } from './rules/damage.ts';
export { endedLeases, takenBy } from './rules/fifo-claims.ts';
export { arrivalLimits } from './rules/fifo-limits.ts';
export * from './rules/fifo-selection.ts';
export * from './rules/fifo-step.ts';
export type { ArrivalStep } from './rules/fifo-step-parts.ts';
export { leaseEnd, momentOf, poolClock } from './rules/pool-clock.ts';
export * from './rules/step.ts';
export type * from './watcher/chain-source.ts';
export { Watcher } from './watcher/watcher.ts';
export type * from './watcher/watcher-events.ts';
export type { WatcherElection, WatcherOptions, WatcherPool } from './watcher/watcher-options.ts';
