import { type Cause, causes } from '../contract/cause.ts';
import { optionalReason } from '../contract/drop-reason.ts';
import type { BlockEvent, PlaceEvent, StoreEvent, TransactionEvent } from '../contract/events.ts';
import type { KnownStage, Stage } from '../contract/transaction.ts';
import { bytesToHash, damaged, decodePoint, decodeValue, isBytes, isCount, isOptionalCount } from './codec.ts';
import {
  blockActions,
  blockElements,
  eventStages,
  placeCodes,
  placeElements,
  replacedElements,
  transactionElements,
} from './event-encoder.ts';

type BlockRow = [action: number, point: Uint8Array, tick: number, nodeId: string | null, term: number | null];
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
  cause: number,
  attempts: number,
  receivedAt: number | null,
  replacedBy?: Uint8Array,
];
type PlaceRow = [hash: Uint8Array, seq: number, code: number];

/**
 * Decodes the events of one call. The last one has the number `lastSeq`. `at` is the time of the call.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if they are damaged
 */
export function decodeEvents(bytes: Uint8Array, lastSeq: number, at: number): StoreEvent[] {
  const rows = decodeValue('events', bytes);
  if (!Array.isArray(rows) || !isCount(at)) throw damaged('events');
  const first = lastSeq - rows.length + 1;
  return rows.map((row, i) => decodeEvent(row, first + i, at));
}

function decodeEvent(row: unknown, eventSeq: number, at: number): StoreEvent {
  if (isBlockRow(row)) return decodeBlockEvent(row, eventSeq, at);
  if (isTransactionRow(row)) return decodeTransactionEvent(row, eventSeq, at);
  if (isPlaceRow(row)) return decodePlaceEvent(row, eventSeq, at);
  throw damaged('event');
}

function isBlockRow(row: unknown): row is BlockRow {
  if (!Array.isArray(row) || row.length !== blockElements) return false;
  const [action, point, tick, nodeId, term] = row;
  if (!isCount(action) || !isBytes(point) || !isCount(tick)) return false;
  return (nodeId === null || typeof nodeId === 'string') && isOptionalCount(term);
}

function isPlaceRow(row: unknown): row is PlaceRow {
  if (!Array.isArray(row) || row.length !== placeElements) return false;
  const [hash, seq, code] = row;
  return isBytes(hash) && isCount(seq) && isCount(code);
}

function isTransactionRow(row: unknown): row is TransactionRow {
  if (!Array.isArray(row) || (row.length !== transactionElements && row.length !== replacedElements)) return false;
  const [hash, ...rest] = row;
  const [point, reason, cause, attempts, receivedAt, replacedBy] = rest.splice(7);
  if (replacedBy !== undefined && !isBytes(replacedBy)) return false;
  if (!isBytes(hash) || ![...rest, cause, attempts].every(isCount) || !isOptionalCount(receivedAt)) return false;
  return (point === null || isBytes(point)) && (reason === null || typeof reason === 'string');
}

function decodeBlockEvent(row: BlockRow, eventSeq: number, at: number): BlockEvent {
  const [code, point, tick, nodeId, term] = row;
  const action = blockActions[code];
  if (action === undefined) throw damaged('event');
  return { kind: 'block', eventSeq, at, action, point: decodePoint(point), tick, nodeId, term };
}

function decodePlaceEvent([hash, seq, code]: PlaceRow, eventSeq: number, at: number): PlaceEvent {
  const what = placeCodes[code];
  if (what === undefined) throw damaged('event');
  const base = { eventSeq, at, hash: bytesToHash(hash), seq };
  return what === 'ready' ? { kind: 'ready', ...base } : { kind: 'parked', ...base, reason: what };
}

function decodeTransactionEvent(row: TransactionRow, eventSeq: number, at: number): TransactionEvent {
  const [hash, seq, code, before, confirmedBefore, unconfirmedBefore, ...after] = row;
  const [confirmations, nonConfirmations, point, reason, cause, attempts, receivedAt, by] = after;
  return {
    kind: 'transaction',
    eventSeq,
    at,
    hash: bytesToHash(hash),
    seq,
    stage: decodeStage(code) as KnownStage,
    cause: decodeCause(cause),
    previous: {
      stage: decodeStage(before),
      confirmations: confirmedBefore,
      nonConfirmations: unconfirmedBefore,
    },
    confirmations,
    nonConfirmations,
    point: point === null ? null : decodePoint(point),
    reason: optionalReason(reason),
    ...(by !== undefined && { replacedBy: bytesToHash(by) }),
    attempts,
    receivedAt: receivedAt === 0 ? at : receivedAt,
  };
}

function decodeStage(code: number): Stage {
  const stage = eventStages[code];
  if (stage === undefined) throw damaged('event');
  return stage;
}

function decodeCause(code: number): Cause {
  const cause = causes[code];
  if (cause === undefined) throw damaged('event');
  return cause;
}
