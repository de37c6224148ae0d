import type { PutOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import type { Reply } from '../connection/script.ts';

/** Version as u64, checksum as u32; see lua/pool/records.lua. */
const headBytes = 12;
const noBytes = Buffer.alloc(0);
/** No UTF-8 string has this byte, so it sorts after every name that begins with a prefix. */
const behindNames = Buffer.of(0xff);

/** Decodes a record of the application. Copies the value, so the caller may keep and change it (M1). */
export function decode(name: Buffer, stored: Buffer | null): core.FoundRecord {
  const found = { name: name.toString(), version: 0, value: new Uint8Array(), isIntact: false };
  if (stored === null || stored.length < headBytes) return found;
  const version = Number(stored.readBigUInt64BE(0));
  const value = new Uint8Array(stored.subarray(headBytes));
  const isIntact =
    Number.isSafeInteger(version) && stored.readUInt32BE(8) === core.recordChecksum(name, version, value);
  return { ...found, version, value, isIntact };
}

/** The inverse of `decode`. */
export function encode(name: Buffer, version: number, value: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeBigUInt64BE(BigInt(version), 0);
  head.writeUInt32BE(core.recordChecksum(name, version, value), 8);
  return Buffer.concat([head, value]);
}

/** Returns the arguments of lua/pool/list-records.lua. */
export function pageArguments({ prefix, after, limit }: core.CheckedRecordQuery): Argument[] {
  const [from, begin] = [Buffer.from(after), Buffer.from(prefix)];
  const isInside = Buffer.compare(from, begin) >= 0 && after !== '';
  const first = isInside ? Buffer.concat([Buffer.from('('), from]) : Buffer.concat([Buffer.from('['), begin]);
  const end = Buffer.concat([Buffer.from('('), begin, behindNames]);
  return [first, end, limit, core.maxPageBytes];
}

/** Returns the arguments of lua/pool/put-record.lua from the third on. */
export function putArguments({ name, value, version }: core.CheckedPut, { lease }: core.ChainContext): Argument[] {
  const held = lease === null ? ['', '', '', 'free'] : [lease.nodeId, lease.token, String(lease.term), ''];
  const sum = value === null ? '' : core.recordChecksum(Buffer.from(name), 0, value);
  const bytes = value === null ? noBytes : Buffer.from(value);
  return [...held, name, version ?? '', sum, bytes, core.maxPoolRecordBytes];
}

/** Converts the script's answer to the outcome. @throws `ERR_MEMPOOL_CORRUPT` if a version was given and the record is damaged */
export function readPut({ name }: core.CheckedPut, [word, version, at]: Reply<'putRecord'>): PutOutcome {
  const kind = String(word) as PutOutcome['kind'] | 'damaged';
  switch (kind) {
    case 'stored':
      return { kind, version, at };
    case 'conflict':
      return { kind, version };
    case 'fenced':
    case 'full':
      return { kind };
    case 'damaged':
      throw core.damagedRecord(name);
  }
}
