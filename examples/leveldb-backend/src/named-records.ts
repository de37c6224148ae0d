import type { PoolValue, PutOutcome, RecordPage } from 'mempool-core';
import {
  type CheckedPut,
  type CheckedRecordQuery,
  damagedRecord,
  decodeValue,
  encodeValue,
  type FoundRecord,
  maxPageBytes,
  putStep,
  recordChecksum,
  recordPage,
  type Step,
} from 'mempool-core/backend';
import type { Reader } from './database.ts';
import type { LoadedView } from './view.ts';

/** Values may have a megabyte, so a page is read in small parts. */
const lot = 8;

export function encodeRecord(name: string, version: number, value: Uint8Array): Buffer {
  return encodeValue([version, recordChecksum(Buffer.from(name), version, value), value]);
}

function decodeRecord(name: string, bytes: Uint8Array): FoundRecord {
  const lost = { name, version: 0, value: new Uint8Array(), isIntact: false };
  try {
    const [version, checksum, value] = decodeValue('record', bytes) as [number, number, Uint8Array];
    const isIntact = checksum === recordChecksum(Buffer.from(name), version, value);
    return { name, version, value: new Uint8Array(value), isIntact };
  } catch {
    return lost;
  }
}

/** The step of `putRecord`. `at`: the time of the call. */
export async function planPut({ reader, state }: LoadedView, put: CheckedPut, at: number): Promise<Step<PutOutcome>> {
  const bytes = await reader.get('records', put.name);
  const found = bytes && decodeRecord(put.name, bytes);
  const size = Buffer.byteLength(put.name) + (found?.value.length ?? 0);
  const former = found === undefined ? null : { version: found.isIntact ? found.version : null, bytes: size };
  return putStep(put, { lastVersion: state.lastVersion, bytes: state.recordBytes }, former, at);
}

/** @throws `ERR_MEMPOOL_CORRUPT` if the record is damaged */
export async function readRecord(reader: Reader, name: string): Promise<PoolValue | null> {
  const bytes = await reader.get('records', name);
  if (bytes === undefined) return null;
  const { isIntact, version, value } = decodeRecord(name, bytes);
  if (!isIntact) throw damagedRecord(name);
  return { version, value };
}

/** LevelDB sorts keys by their bytes, so the records are in the order of K4. */
export async function readRecords(reader: Reader, query: CheckedRecordQuery): Promise<RecordPage> {
  const { prefix, after, limit } = query;
  const isInside = Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0 && after !== '';
  const found: FoundRecord[] = [];
  let range: { gt?: string; gte?: string } = isInside ? { gt: after } : { gte: prefix };
  for (let bytes = 0; found.length < limit && bytes <= maxPageBytes; ) {
    const wanted = Math.min(lot, limit - found.length);
    const entries = await reader.entries('records', { ...range, limit: wanted });
    const inside = entries.filter(([name]) => name.startsWith(prefix));
    found.push(...inside.map(([name, stored]) => decodeRecord(name, stored)));
    if (inside.length < wanted) break;
    range = { gt: (inside.at(-1) as [string, Buffer])[0] };
    bytes += inside.reduce((sum, [, stored]) => sum + stored.length, 0);
  }
  return recordPage(found, query);
}
