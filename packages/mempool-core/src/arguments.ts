import { isUint8Array } from 'node:util/types';
import { checkCount } from './count.ts';
import type { ChainContext, CheckedBlock, WriteContext } from './driver.ts';
import { invalid } from './errors.ts';
import type { Lease } from './lease.ts';
import type { Thresholds } from './lifecycle.ts';
import { resolveThresholds } from './options.ts';
import { checkTags } from './priority/verdict.ts';
import type { Block, ChainOptions, Policy, WriteOptions } from './store.ts';
import type { ChainPoint, Transaction } from './transaction.ts';

/** X1: transactions in one call at the most. */
export const maxCallTransactions = 1_000;
const maxHashDigits = 128;
const pointHashDigits = 64;
const maxReasonLength = 256;

/**
 * Without a branch for each digit, of which every other would be guessed wrong: a code that is neither of `0–9` nor of `a–f`
 * leaves the sign bit. A pattern test costs three times as much, and every call pays it for every hash.
 */
function isHex(text: unknown, min: number, max: number): text is string {
  if (typeof text !== 'string' || text.length < min || text.length > max) return false;
  if (text.length % 2 === 1) return false;
  let signs = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    signs |= ((code - 48) | (57 - code)) & ((code - 97) | (102 - code));
  }
  return signs >= 0;
}

function isHash(hash: unknown): hash is string {
  return isHex(hash, 2, maxHashDigits);
}

const hashForm = 'lower-case hex of 1–64 bytes';

/** @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkHash(field: string, hash: string): string {
  if (!isHash(hash)) throw invalid(field, hashForm);
  return hash;
}

/** @throws `ERR_MEMPOOL_INVALID` naming the place */
export function checkHashes(field: string, hashes: readonly string[], max: number): readonly string[] {
  if (!Array.isArray(hashes)) throw invalid(field, 'an array of hashes');
  if (hashes.length > max) throw invalid(field, `at most ${max} hashes`);
  const wrong = hashes.findIndex((hash) => !isHash(hash));
  if (wrong >= 0) throw invalid(`${field}[${wrong}]`, hashForm);
  return hashes;
}

/** A checked list without repeats. */
export function distinctHashes(field: string, hashes: readonly string[], max: number): string[] {
  return [...new Set(checkHashes(field, hashes, max))];
}

/** Checked; the payloads are still the caller's (M2). */
export function checkTransactions(transactions: readonly Transaction[], maxTxBytes: number): readonly Transaction[] {
  if (!Array.isArray(transactions)) throw invalid('transactions', 'an array');
  if (transactions.length > maxCallTransactions)
    throw invalid('transactions', `at most ${maxCallTransactions} transactions`);
  for (let i = 0; i < transactions.length; i++) {
    const fault = faultOf(transactions[i] as Transaction, maxTxBytes);
    if (fault !== null) throw invalid(`transactions[${i}]${fault.field}`, fault.form);
  }
  return transactions;
}

/** M1: the bytes stay as they are whatever the caller does next. */
export function copyTransactions(transactions: readonly Transaction[]): Transaction[] {
  return transactions.map(({ hash, payload, payloadType }) => ({ hash, payload: Buffer.from(payload), payloadType }));
}

/** @throws `ERR_MEMPOOL_INVALID` naming the field below `place` */
export function checkTransaction(place: () => string, transaction: Transaction, maxTxBytes: number): void {
  const fault = faultOf(transaction, maxTxBytes);
  if (fault !== null) throw invalid(`${place()}${fault.field}`, fault.form);
}

/** What is wrong with it: the field, and what it should be; `null` for nothing, as nearly always. */
function faultOf(
  transaction: Transaction,
  maxTxBytes: number,
): { readonly field: string; readonly form: string } | null {
  if (typeof transaction !== 'object' || transaction === null) return { field: '', form: 'a transaction' };
  const { hash, payload, payloadType } = transaction;
  if (!isHash(hash)) return { field: '.hash', form: hashForm };
  if (!isUint8Array(payload)) return { field: '.payload', form: 'a Uint8Array' };
  if (payload.length > maxTxBytes) return { field: '.payload', form: `at most ${maxTxBytes} bytes (maxTxBytes)` };
  if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > 0xffff)
    return { field: '.payloadType', form: 'an integer of 0–65,535' };
  return null;
}

/** @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkPoint(field: string, point: ChainPoint): ChainPoint {
  if (typeof point !== 'object' || point === null) throw invalid(field, 'a chain point');
  checkCount(`${field}.slot`, point.slot);
  if (!isHex(point.hash, pointHashDigits, pointHashDigits)) throw invalid(`${field}.hash`, '64 lower-case hex digits');
  return { slot: point.slot, hash: point.hash };
}

/** L5: `seen` wins over `unseen`; neither list has a limit (X1). */
export function checkBlock(block: Block, policy: Policy, fallback: Thresholds): CheckedBlock {
  if (typeof block !== 'object' || block === null) throw invalid('block', 'a block');
  const { parent = null } = block;
  if (parent !== null && !isHex(parent, pointHashDigits, pointHashDigits))
    throw invalid('block.parent', '64 lower-case hex digits');
  const seen = new Set(checkHashes('block.seen', block.seen, Number.POSITIVE_INFINITY));
  const unseen = new Set(checkHashes('block.unseen', block.unseen, Number.POSITIVE_INFINITY));
  return {
    point: checkPoint('block.point', block.point),
    parent,
    seen: [...seen],
    unseen: [...unseen].filter((hash) => !seen.has(hash)),
    provides: checkTags('block.provides', block.provides, Number.POSITIVE_INFINITY),
    thresholds: resolveThresholds(policy, fallback),
  };
}

/** @throws `ERR_MEMPOOL_INVALID` naming `reason` */
export function checkReason(reason: string): string {
  if (typeof reason !== 'string' || reason.length < 1 || reason.length > maxReasonLength)
    throw invalid('reason', `a string of 1–${maxReasonLength} characters`);
  if (!reason.isWellFormed()) throw invalid('reason', 'well-formed Unicode');
  return reason;
}

/** A page's limit: any number but NaN. @throws `ERR_MEMPOOL_INVALID` */
export function checkLimit(limit: number | undefined): number | undefined {
  if (limit !== undefined && (typeof limit !== 'number' || Number.isNaN(limit))) throw invalid('limit', 'a number');
  return limit === undefined ? undefined : Math.floor(limit);
}

/** Options of our own: the caller may change his while the call waits. @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function checkWrite({ operationId, signal }: WriteOptions): WriteContext {
  if (operationId !== undefined && !isOperationId(operationId))
    throw invalid('operationId', '1–128 printable ASCII characters');
  return { operationId, signal };
}

/** X6. @throws `ERR_MEMPOOL_INVALID` naming the field of the lease */
export function checkChainWrite(options: ChainOptions): ChainContext {
  return { ...checkWrite(options), lease: options.lease === undefined ? null : checkLease(options.lease) };
}

function checkLease(lease: Lease): Lease {
  if (typeof lease !== 'object' || lease === null) throw invalid('lease', 'a lease');
  const { nodeId, token, term } = lease;
  if (!isName(nodeId)) throw invalid('lease.nodeId', '1–128 printable ASCII characters without spaces');
  if (!isName(token)) throw invalid('lease.token', '1–128 printable ASCII characters without spaces');
  if (!Number.isSafeInteger(term) || term < 1) throw invalid('lease.term', 'a whole number of at least 1');
  return { nodeId, token, term };
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[\x21-\x7e]{1,128}$/.test(name);
}

function isOperationId(operationId: unknown): boolean {
  return typeof operationId === 'string' && /^[\x20-\x7e]{1,128}$/.test(operationId);
}
