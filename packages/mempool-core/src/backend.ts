// What the author of a backend builds on, beside what `mempool-core` has for everybody.

export { checkNames, hint, shortName } from './boundary/option-names.ts';
export { copyTransactions } from './boundary/submissions.ts';
export {
  bytesToHash,
  decodePoint,
  decodeValue,
  encodePoint,
  encodeValue,
  formatVersion,
  hashToBytes,
  payloadChecksum,
  pointBytes,
} from './codec/codec.ts';
export { decodeEntry, encodeEntry } from './codec/entry-record.ts';
export { decodeEvents } from './codec/event-decoder.ts';
export { encodeEvents } from './codec/event-encoder.ts';
export { decodeLimits, encodeLimits, plainLimits, storedLimits } from './codec/limits-text.ts';
export { decodeOutcome, encodeOutcome, operationReused } from './codec/outcome-record.ts';
export { configSchema, fields as configFields, readConfig, withNeededFields } from './config/config.ts';
export { type Field, type FieldSchema, isTable, misconfigured, snakeCase } from './config/config-field.ts';
export { inFile, readTables } from './config/config-file.ts';
export {
  type FurtherOptions,
  type OpenedConfig,
  openMempoolNames,
  type RedisPart,
  redisPart,
  resolveOpening,
} from './config/open-mempool.ts';
export type {
  Awaitable,
  ChainContext,
  ClaimContext,
  PayloadContext,
  ReadContext,
  WriteContext,
} from './contract/call-options.ts';
export { type CursorKind, cursorOf, type Position, readCursor } from './contract/cursor.ts';
export type * from './contract/damage.ts';
export type * from './contract/driver.ts';
export type * from './contract/driver-page.ts';
export { optionalReason, reasonText } from './contract/drop-reason.ts';
export type * from './contract/dump.ts';
export { invalid } from './contract/errors.ts';
export type { EventPage, EventSource, StepEvent } from './contract/events.ts';
export { isFenced, type LeaseSource } from './contract/lease.ts';
export {
  arriving,
  countersAt,
  droppableTick,
  type Facts,
  factsAt,
  finalizableTick,
  isInBlock,
  live,
  type MoveVerb,
  nextStage,
  noFacts,
  overdueBefore,
  pending as pendingState,
  type TxState,
} from './contract/lifecycle.ts';
export { fifoLimits } from './contract/limits.ts';
export { maxOperations } from './contract/options.ts';
export { compareOrderKeys, encodeOrderKey, type OrderKey, orderKeyBelow } from './contract/order-key.ts';
export { type Cut, corrupt, cutPage, type LoggedRecord, maxPageBytes, type ReadRecord } from './contract/page-rules.ts';
export type * from './contract/pool-driver.ts';
export type * from './contract/pool-entry.ts';
export { type CheckedPut, type CheckedRecordQuery, maxPoolRecordBytes, type RecordDriver } from './contract/records.ts';
export * from './contract/transfer.ts';
export type { CheckedVerdict } from './contract/verdict.ts';
export { type CallVerbParts, type CallVerbs, callVerbs } from './drivers/call-verbs.ts';
export { type FifoVerbs, noneParked } from './drivers/fifo-driver.ts';
export { type FencedOutcome, type MemoryDriverParts, memoryDriver } from './drivers/memory-driver.ts';
export { OrderedWriter } from './drivers/ordered-writer.ts';
export { type Plan, type PriorityStorage, priorityDriver, receivePlan } from './drivers/priority-driver.ts';
export { type PriorityMemoryParts, priorityMemoryDriver } from './drivers/priority-memory-driver.ts';
export { type RetryOptions, retryUntil } from './drivers/retry.ts';
export { inSlices } from './drivers/slices.ts';
export type { KeptBlock } from './memory/kept-blocks.ts';
export { MemoryPool } from './memory/memory-pool.ts';
export type { MemoryRecord } from './memory/pool-records.ts';
export {
  anyMempool,
  type BackendDefinition,
  checkNode,
  defineBackend,
  hasCoreBoundary,
} from './mempool/define-backend.ts';
export { poolState, wrappedPool } from './mempool/pool-state.ts';
export { decodeChange, encodeChange } from './priority/change-record.ts';
export { dumpOfParts, dumpOfPool } from './priority/content.ts';
export { dumpOf } from './priority/dump.ts';
export {
  MirroredPool,
  type MirroredPoolParts,
  mirroredEntry,
  type PoolPosition,
  samePosition,
  storedEntry,
} from './priority/mirrored-pool.ts';
export { PoolIndex } from './priority/pool-index.ts';
export type { PlacedNode, PoolNode } from './priority/pool-node.ts';
export {
  changeOfStep,
  changesPool,
  mirroredBody,
  type PoolChange,
  type PoolRecord,
  PriorityPool,
} from './priority/priority-pool.ts';
export type { Planning } from './priority/step-builder.ts';
export {
  type Body,
  logEntry,
  logPage,
  seqPage,
  statusOf,
  storedTransaction,
  unreadableStatus,
} from './rules/answers.ts';
export * from './rules/call-plan.ts';
export {
  type BlockStates,
  type Change,
  changeEvent,
  planBlock,
  planDrop,
  planMove,
  planReceive,
  planRollback,
} from './rules/change.ts';
export { lostEnd } from './rules/damage.ts';
export { FifoCall, type FifoPool } from './rules/fifo-call.ts';
export { endedClaims, type FifoRecord, takenBy } from './rules/fifo-claims.ts';
export * from './rules/fifo-step.ts';
export { callTimeOf, eventTime, poolClock } from './rules/pool-clock.ts';
export {
  damagedRecord,
  type FormerRecord,
  type FoundRecord,
  putStep,
  type RecordTotals,
  recordChecksum,
  recordGrowth,
  recordPage,
} from './rules/records.ts';
export { countStages, type StageCounts, stageCounters } from './rules/stage-counts.ts';
export {
  type ChainPlan,
  type ChainStep,
  confirmStep,
  dropStep,
  guardOf,
  type MoveGuard,
  moveStep,
  type OperationRecord,
  type PoolView,
  planConfirm,
  planUndo,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
  type Write,
} from './rules/step.ts';
export { importUnfinished, inPages, isUnused, judgePage, leaveOut } from './rules/transfer.ts';
