import { crc32 } from 'node:zlib';
import { Decoder, Encoder } from 'cbor-x';
import { MempoolError } from '../contract/errors.ts';
import type { ChainPoint } from '../contract/transaction.ts';

/**
 * Version of the stored format (N2). Events and recorded outcomes are CBOR arrays (RFC 8949) of plain values. Hashes,
 * chain points and payloads are raw bytes.
 */
export const formatVersion = 1;

const cborOptions = { useRecords: false, tagUint8Array: false };
const encoder = new Encoder(cborOptions);
/**
 * Lua scripts write integers from 2^32 on in eight bytes. `int64AsNumber` reads them as numbers, and the checks reject
 * unsafe integers. The decoder's types lack this option.
 */
const decoderOptions = { ...cborOptions, mapsAsObjects: true, int64AsNumber: true };
const decoder = new Decoder(decoderOptions);

/** Length of an encoded chain point, in bytes. */
export const pointBytes = 40;

/** Returns the bytes of a hex hash. */
export function hashToBytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

/** Returns the bytes of a hash as lower-case hex. */
export function bytesToHash(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString('hex');
}

/** Encodes a chain point in 40 bytes: the slot as big-endian u64, then the 32-byte hash. */
export function encodePoint({ slot, hash }: ChainPoint): Buffer {
  const bytes = Buffer.allocUnsafe(pointBytes);
  bytes.writeBigUInt64BE(BigInt(slot), 0);
  bytes.write(hash, 8, 'hex');
  return bytes;
}

/** The inverse of `encodePoint`. @throws `ERR_MEMPOOL_CORRUPT` unless there are exactly 40 bytes */
export function decodePoint(bytes: Uint8Array): ChainPoint {
  if (bytes.length !== pointBytes) throw damaged('chain point');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return { slot: Number(view.getBigUint64(0)), hash: bytesToHash(bytes.subarray(8)) };
}

/**
 * Returns the CRC-32 (IEEE 802.3, as in zlib) of a payload. It is stored with the payload and compared on each read (M2).
 * `before` is the checksum of preceding bytes, if the checksum covers those too.
 */
export function payloadChecksum(payload: Uint8Array, before = 0): number {
  // SQLite returns empty arrays without a buffer. For these, Node 22 returns 0 and ignores `before`.
  return payload.length === 0 ? before : crc32(payload, before);
}

/** Encodes one value as CBOR. Byte strings must be `Uint8Array`. */
export function encodeValue(value: unknown): Buffer {
  return Buffer.from(encoder.encode(value));
}

/** Decodes one CBOR value. `what` names the value in the message. @throws `ERR_MEMPOOL_CORRUPT` if it is damaged */
export function decodeValue(what: string, bytes: Uint8Array): unknown {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw damaged(what, cause);
  }
}

/** True for a `Uint8Array`. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

/** True for a safe integer. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** True for a safe integer or `null`. */
export function isOptionalCount(value: unknown): value is number | null {
  return value === null || isCount(value);
}

/** Returns the error for stored data that is damaged, `ERR_MEMPOOL_CORRUPT` (M2). `what` names the data. */
export function damaged(what: string, cause?: unknown): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the stored ${what} is damaged`, { cause });
}
