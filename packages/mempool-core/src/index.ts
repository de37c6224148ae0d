export * from './answers.ts';
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
  encodeEvents,
  encodePoint,
  encodeValue,
  formatVersion,
  hashToBytes,
  payloadChecksum,
  pointBytes,
} from './codec.ts';
export type { DolosConfig, DolosMempoolSection, MempoolConfig } from './config.ts';
export { parseConfig } from './config.ts';
export { loadConfig } from './config-file.ts';
export type * from './driver.ts';
export {
  invalid,
  isMempoolError,
  MempoolError,
  type MempoolErrorCode,
  type MempoolErrorDetails,
  mempoolErrorCodes,
} from './errors.ts';
export type * from './events.ts';
export type { WaitOptions, WaitStage } from './goal.ts';
export type { KeptBlock } from './kept-blocks.ts';
export * from './lease.ts';
export { Ledger, type LedgerRecord } from './ledger.ts';
export { type LedgerDriverParts, ledgerDriver } from './ledger-driver.ts';
export * from './lifecycle.ts';
export { Mempool } from './mempool.ts';
export type { MempoolOptions } from './mempool-options.ts';
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
export { type RetryOptions, retryUntil } from './retry.ts';
export * from './step.ts';
export type * from './store.ts';
export * from './transaction.ts';
export type { Refused, SubmitOutcome, Validate, Verdict } from './validation.ts';
export { Watcher } from './watcher.ts';
export type * from './watcher-events.ts';
export type { WatcherElection, WatcherOptions, WatcherPool } from './watcher-options.ts';
export { WriteLine } from './write-line.ts';
