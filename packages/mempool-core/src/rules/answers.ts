import type { DriverLogPage, DriverPage } from '../contract/driver-page.ts';
import { optionalReason } from '../contract/drop-reason.ts';
import { countersAt, type TxState } from '../contract/lifecycle.ts';
import type { Cut, LoggedRecord, ReadRecord } from '../contract/page-rules.ts';
import type { ConfirmOutcome } from '../contract/store.ts';
import type {
  ChainPoint,
  FinalStage,
  LiveStage,
  LogEntry,
  StoredTransaction,
  Tip,
  TransactionStatus,
} from '../contract/transaction.ts';
import type { Change } from './change.ts';

/** The payload and the payload type of a record. */
export interface Body {
  /** The bytes. They are returned to the caller without a copy, so pass a copy (M1). */
  readonly payload: Uint8Array;
  readonly payloadType: number;
}

const unknownStatus: Omit<TransactionStatus, 'hash'> = {
  stage: 'Unknown',
  confirmations: 0,
  nonConfirmations: 0,
  confirmedAt: null,
  reason: null,
  notBefore: null,
  receivedAt: null,
  attempts: 0,
};

/** Returns the status of a live transaction whose stage cannot be read: it counts as in flight (M2). */
export function unreadableStatus(hash: string): TransactionStatus {
  return { ...unknownStatus, hash, stage: 'Propagated' };
}

/** Returns the status of a hash (O3). `txState` is its live record or latest log entry; `null` if there is neither. */
export function statusOf(
  hash: string,
  txState: TxState | null,
  point: ChainPoint | null,
  tick: number,
): TransactionStatus {
  if (txState === null) return { ...unknownStatus, hash };
  const { stage, notBefore = null, facts } = txState;
  const { receivedAt, attempts } = facts;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  const confirmedAt = copyPoint(point);
  const reason = optionalReason(txState.reason);
  return { hash, stage, confirmations, nonConfirmations, confirmedAt, reason, notBefore, receivedAt, attempts };
}

/** Returns a live record in the form that `peekPending` and `peekInflight` return (O1). */
export function storedTransaction(
  txState: TxState,
  { payload, payloadType }: Body,
  point: ChainPoint | null,
  tick: number,
): StoredTransaction {
  const { hash, seq, notBefore = null } = txState;
  const { receivedAt, attempts } = txState.facts;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  return {
    hash,
    payload,
    payloadType,
    seq,
    stage: txState.stage as LiveStage,
    notBefore,
    receivedAt,
    attempts,
    confirmations,
    nonConfirmations,
    confirmedAt: copyPoint(point),
  };
}

/** Returns a final record as an entry of the terminal log (O4). `at` is the time at which it was written. */
export function logEntry(
  logSeq: number,
  { hash, seq, stage, confirmations, nonConfirmations, reason, facts }: TxState,
  { payload, payloadType }: Body,
  point: ChainPoint | null,
  at: number,
): LogEntry {
  return {
    hash,
    payload,
    payloadType,
    logSeq,
    seq,
    stage: stage as FinalStage,
    confirmations,
    nonConfirmations,
    point: copyPoint(point),
    reason: optionalReason(reason),
    receivedAt: facts.receivedAt,
    at,
    attempts: facts.attempts,
  };
}

/** The position at which a page begins, and the epoch of its pool. */
export interface PageStart {
  readonly after: number;
  readonly epoch: string;
}

/** Returns the page by `seq` that begins after a seq (O1). `read` converts a record into its answer. */
export function seqPage<R extends ReadRecord>(
  { records, last }: Cut<R>,
  { after, epoch }: PageStart,
  read: (record: R) => StoredTransaction,
): DriverPage {
  return { transactions: records.map(read), next: last?.seq ?? after, epoch };
}

/** The ends of a log, and the position in it at which a page begins. */
export interface LogEnds {
  /** The first number that the caller wants. */
  readonly cursor: number;
  readonly oldest: number;
  /** The number of the newest entry; 0 before the first. */
  readonly last: number;
  readonly epoch: string;
}

/** Returns the page of log entries that were read from `max(cursor, oldest)` on (O4). `read` converts a record into its answer. */
export function logPage<R extends LoggedRecord>(
  { records, last: newest }: Cut<R>,
  { cursor, oldest, last, epoch }: LogEnds,
  read: (record: R) => LogEntry,
): DriverLogPage {
  const next = (newest?.logSeq ?? last) + 1;
  const missed = cursor === 0 ? 0 : Math.max(0, oldest - cursor);
  const entries = records.map(read);
  return {
    entries,
    cursor: next,
    hasMore: next <= last,
    missed,
    epoch,
  };
}

/** Returns the outcome of an applied block, with the counts of its changes (L5, L6). */
export function appliedOutcome(changes: readonly Pick<Change, 'before' | 'after'>[], tip: Tip): ConfirmOutcome {
  const counts = { confirmed: 0, returned: 0, finalized: 0, dropped: 0 };
  for (const { before, after } of changes) {
    const confirmed = after.stage === 'Confirmed' || after.stage === 'Finalized';
    if (confirmed && before?.stage !== 'Confirmed') counts.confirmed += 1;
    if (after.stage === 'Pending') counts.returned += 1;
    if (after.stage === 'Finalized') counts.finalized += 1;
    if (after.stage === 'Dropped') counts.dropped += 1;
  }
  return { kind: 'applied', tip, ...counts };
}

function copyPoint(point: ChainPoint | null): ChainPoint | null {
  return point === null ? null : { slot: point.slot, hash: point.hash };
}
