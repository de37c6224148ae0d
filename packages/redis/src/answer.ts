import {
  bytesToHash,
  type ChainPoint,
  corrupt,
  decodePoint,
  type StoredTransaction,
  type Tip,
  type TransactionStatus,
} from 'mempool-core';
import { decodeEntry, liveCounters, placeOf, type ReadTransaction, readTransaction } from './record.ts';
import { asBytes, asBytesOrNull, asList, asNumber, type Reply } from './reply.ts';

export function readPoint(point: Uint8Array): ChainPoint | null {
  return point.length === 0 ? null : decodePoint(point);
}

export function readTip(point: Reply | undefined, tick: Reply | undefined): Tip {
  return { point: readPoint(asBytes(point)), tick: asNumber(tick) };
}

export function readRows(answer: Reply): ReadTransaction[] {
  const reply = asList(answer);
  const tick = asNumber(reply[0]);
  const rows: ReadTransaction[] = [];
  for (let i = 1; i < reply.length; i += 5) {
    const hash = bytesToHash(asBytes(reply[i]));
    const [seq, score] = [asNumber(reply[i + 1]), asNumber(reply[i + 2])];
    const [point, record] = [asBytes(reply[i + 3]), asBytesOrNull(reply[i + 4])];
    rows.push(readTransaction({ hash, seq, score, point, record }, tick));
  }
  return rows;
}

/** Fresh for every place it is handed out at. */
export function handedOut(row: ReadTransaction | undefined): StoredTransaction | null {
  if (row === undefined) return null;
  const { intact: _, ...transaction } = row;
  return { ...transaction, payload: new Uint8Array(transaction.payload) };
}

export function readStatus(
  hash: string,
  tick: number,
  score: Uint8Array | null,
  detail: Reply | undefined,
): TransactionStatus {
  const none = { confirmations: 0, nonConfirmations: 0, confirmedAt: null, reason: null };
  if (score === null) return { hash, stage: 'Unknown', ...none };
  const place = placeOf(asNumber(score as Reply));
  if (place.stage !== 'Finalized' && place.stage !== 'Dropped')
    return {
      hash,
      stage: place.stage,
      ...liveCounters(place, tick),
      confirmedAt: readPoint(asBytes(detail)),
      reason: null,
    };
  const entry = decodeEntry(asBytesOrNull(detail));
  if (entry === null) throw corrupt({ hash, seq: 0, logSeq: place.number });
  const { stage, confirmations, nonConfirmations, point, reason } = entry;
  return { hash, stage, confirmations, nonConfirmations, confirmedAt: point, reason };
}
