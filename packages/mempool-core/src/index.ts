// What an application uses. A backend author finds the rest in `mempool-core/backend`.

export { type JsonValue, toJsonValue } from './codec/to-json.ts';
export type { Backends, ImportModule } from './config/backend-module.ts';
export {
  type BackendName,
  type ConfigFields,
  type ConfigOf,
  type ConfigOverrides,
  type DolosConfig,
  type DolosMempoolSection,
  type LoneDolosSection,
  type MempoolConfig,
  parseConfig,
} from './config/config.ts';
export { loadConfig } from './config/config-file.ts';
export { type OpenMempoolOptions, openMempool } from './config/open-mempool.ts';
export type {
  ChainOptions,
  ClaimOptions,
  DropOptions,
  LogQuery,
  PageQuery,
  ReadOptions,
  ReleaseOptions,
  SeqQuery,
  SubscribeOptions,
  TipOptions,
  WriteOptions,
} from './contract/call-options.ts';
export { type Cause, causes } from './contract/cause.ts';
export { type DropReason, type PoolReason, poolReasons } from './contract/drop-reason.ts';
export {
  isMempoolError,
  MempoolError,
  type MempoolErrorCode,
  type MempoolErrorDetails,
  mempoolErrorCodes,
} from './contract/errors.ts';
export type {
  BlockEvent,
  Delivered,
  LaggedEvent,
  MempoolEvent,
  ParkedEvent,
  ParkedReason,
  PlaceEvent,
  ReadyEvent,
  StoreEvent,
  TransactionEvent,
} from './contract/events.ts';
export type { Leadership, Lease } from './contract/lease.ts';
export {
  defaultThresholds,
  type LifecycleVerb,
  lifecycleVerbs,
  type Thresholds,
  transitions,
} from './contract/lifecycle.ts';
export { defaultLimits, type Limits, limitNames, type Ordering } from './contract/limits.ts';
export type { ObservedCall, Observer } from './contract/observer.ts';
export {
  defaultRetention,
  type Logger,
  type LogLevel,
  type OpenOptions,
  type Retention,
  type Schedule,
} from './contract/options.ts';
export type * from './contract/pool-verbs.ts';
export type { NamedValue, PoolValue, PutOptions, PutOutcome, RecordPage, RecordQuery } from './contract/records.ts';
export type * from './contract/store.ts';
export * from './contract/transaction.ts';
export type { ExportCounts, ImportOptions, ImportOutcome, ImportProgress, Lines } from './contract/transfer.ts';
export type { Answer, Refused, SubmitOptions, Validate, ValidateContext } from './contract/validation.ts';
export { isRefusal, maxPriority, minPriority, type Refusal, type Verdict } from './contract/verdict.ts';
export { account, accountTag, type Nonce, nextNonce, onePerSender } from './mempool/account.ts';
export type { BestWalk, BestWalkOptions } from './mempool/best-walk.ts';
export type { ConfirmedNow, ConfirmedTransaction } from './mempool/confirmed.ts';
export type { Backend, RemovingBackend } from './mempool/define-backend.ts';
export type { Gossip, GossipOptions } from './mempool/gossip.ts';
export type { LogWalkOptions, SeqWalkOptions, Walked } from './mempool/pages.ts';
export type { AnyMempool, FifoMempool, Mempool, MempoolOf, PriorityMempool } from './mempool/pool-of-ordering.ts';
export type { Recheck, RecheckOptions } from './mempool/recheck.ts';
export { type Inputs, utxo, utxoLimits, utxoTags } from './mempool/utxo.ts';
export type { Waited, WaitOptions, WaitStage } from './mempool/waiters.ts';
export {
  type FinalReason,
  UnrecoverableError,
  type UnrecoverableOptions,
  type WorkContext,
  type WorkDone,
  type WorkHandler,
  type WorkOptions,
} from './mempool/work-options.ts';
export type * from './watcher/chain-source.ts';
export { Watcher } from './watcher/watcher.ts';
export type * from './watcher/watcher-options.ts';
export type { WatcherElection, WatcherOptions, WatcherPool } from './watcher/watcher-options.ts';
