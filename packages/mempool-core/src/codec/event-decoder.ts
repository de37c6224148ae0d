import { type Cause, causes } from '../contract/cause.ts';
import { isPoolReason, optionalReason } from '../contract/drop-reason.ts';
import type { BlockEvent, PlaceEvent, StoreEvent, TransactionEvent } from '../contract/events.ts';
import type { KnownStage, Stage } from '../contract/transaction.ts';
import { bytesToHash, damaged, decodePoint, decodeValue, isBytes, isCount, isOptionalCount } from './codec.ts';
import {
  blockActions,
  blockElements,
  eventStages,
  olderBlockElements,
  olderTransactionElements,
  placeCodes,
  placeElements,
  replacedElements,
  transactionElements,
} from './event-encoder.ts';

type BlockRow = [action: number, point: Uint8Array, tick: number, nodeId?: string | null, term?: number | null];
type TransactionRow = [
  hash: Uint8Array,
  seq: number,
  stage: number,
  previousStage: number,
  previousConfirmations: number,
  previousNonConfirmations: number,
  confirmations: number,
  nonConfirmations: number,
  point: Uint8Array | null,
  reason: string | null,
  cause?: number,
  attempts?: number,
  receivedAt?: number | null,
  replacedBy?: Uint8Array | null,
];
type PlaceRow = [hash: Uint8Array, seq: number, code: number];

/**
 * Decodes the events of one call. The last one has the number `lastSeq`. `at` is the time of the call; `null` if an older
 * version wrote it.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if they are damaged
 */
export function decodeEvents(bytes: Uint8Array, lastSeq: number, at: number | null): StoreEvent[] {
  const rows = decodeValue('events', bytes);
  if (!Array.isArray(rows) || !isOptionalCount(at)) throw damaged('events');
  const first = lastSeq - rows.length + 1;
  return rows.map((row, i) => decodeEvent(row, first + i, at));
}

function decodeEvent(row: unknown, eventSeq: number, at: number | null): StoreEvent {
  if (isBlockRow(row)) return decodeBlockEvent(row, eventSeq, at);
  if (isTransactionRow(row)) return decodeTransactionEvent(row, eventSeq, at);
  if (isPlaceRow(row)) return decodePlaceEvent(row, eventSeq, at);
  throw damaged('event');
}

function isBlockRow(row: unknown): row is BlockRow {
  if (!Array.isArray(row) || (row.length !== blockElements && row.length !== olderBlockElements)) return false;
  const [action, point, tick, nodeId = null, term = null] = row;
  if (!isCount(action) || !isBytes(point) || !isCount(tick)) return false;
  return (nodeId === null || typeof nodeId === 'string') && isOptionalCount(term);
}

function isPlaceRow(row: unknown): row is PlaceRow {
  if (!Array.isArray(row) || row.length !== placeElements) return false;
  const [hash, seq, code] = row;
  return isBytes(hash) && isCount(seq) && isCount(code);
}

const transactionLengths = [transactionElements, replacedElements, olderTransactionElements];

function isTransactionRow(row: unknown): row is TransactionRow {
  if (!Array.isArray(row) || !transactionLengths.includes(row.length)) return false;
  const [hash, ...rest] = row;
  const [point, reason, cause = 0, attempts = 0, receivedAt = null, replacedBy = null] = rest.splice(7);
  if (replacedBy !== null && !isBytes(replacedBy)) return false;
  if (!isBytes(hash) || ![...rest, cause, attempts].every(isCount) || !isOptionalCount(receivedAt)) return false;
  return (point === null || isBytes(point)) && (reason === null || typeof reason === 'string');
}

function decodeBlockEvent(row: BlockRow, eventSeq: number, at: number | null): BlockEvent {
  const [code, point, tick, nodeId = null, term = null] = row;
  const action = blockActions[code];
  if (action === undefined) throw damaged('event');
  return { kind: 'block', eventSeq, at, action, point: decodePoint(point), tick, nodeId, term };
}

function decodePlaceEvent([hash, seq, code]: PlaceRow, eventSeq: number, at: number | null): PlaceEvent {
  const what = placeCodes[code];
  if (what === undefined) throw damaged('event');
  const base = { eventSeq, at, hash: bytesToHash(hash), seq };
  return what === 'ready' ? { kind: 'ready', ...base } : { kind: 'parked', ...base, reason: what };
}

function decodeTransactionEvent(row: TransactionRow, eventSeq: number, at: number | null): TransactionEvent {
  const [hash, seq, code, before, confirmedBefore, unconfirmedBefore, ...after] = row;
  const [confirmations, nonConfirmations, point, reason, cause, attempts = 0, receivedAt = null, by = null] = after;
  const stage = decodeStage(code);
  const previous = decodeStage(before);
  return {
    kind: 'transaction',
    eventSeq,
    at,
    hash: bytesToHash(hash),
    seq,
    stage: (stage === 'RolledBack' ? 'Pending' : stage) as KnownStage,
    cause: cause === undefined ? likelyCause(stage, previous, reason) : decodeCause(cause),
    previous: {
      stage: previous as Stage,
      confirmations: confirmedBefore,
      nonConfirmations: unconfirmedBefore,
    },
    confirmations,
    nonConfirmations,
    point: point === null ? null : decodePoint(point),
    reason: optionalReason(reason),
    ...(by !== null && { replacedBy: bytesToHash(by) }),
    attempts,
    receivedAt: receivedAt === 0 ? at : receivedAt,
  };
}

type EventStage = (typeof eventStages)[number];

function decodeStage(code: number): EventStage {
  const stage = eventStages[code];
  if (stage === undefined) throw damaged('event');
  return stage;
}

function decodeCause(code: number): Cause {
  const cause = causes[code];
  if (cause === undefined) throw damaged('event');
  return cause;
}

const reasonCauses: ReadonlySet<unknown> = new Set(causes.filter((cause) => isPoolReason(cause)));

/** Returns the most likely cause of an event whose version stored none (E6). `RolledBack` was the stage of a return to Pending. */
export function likelyCause(stage: EventStage, previous: EventStage, reason: string | null): Cause {
  switch (stage) {
    case 'Pending':
    case 'Unknown':
      return 'received';
    case 'Propagated':
      return 'marked';
    case 'Acknowledged':
      return 'acknowledged';
    case 'RolledBack':
      return previous === 'Confirmed' || previous === 'Finalized' ? 'rolled-back' : 'released';
    case 'Confirmed':
      return previous === 'Unknown' ? 'received' : 'seen';
    case 'Finalized':
      return 'block';
    case 'Dropped':
      if (reason === 'stale') return 'block';
      return reasonCauses.has(reason) ? (reason as Cause) : 'dropped';
  }
}
