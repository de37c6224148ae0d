import type {
  ChainContext,
  ChainOptions,
  ReadContext,
  ReadOptions,
  WriteContext,
  WriteOptions,
} from '../contract/call-options.ts';
import type { CheckedBlock } from '../contract/driver.ts';
import { invalid } from '../contract/errors.ts';
import type { Lease } from '../contract/lease.ts';
import { defaultThresholds, type Thresholds } from '../contract/lifecycle.ts';
import type { Block, Policy } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { checkCount, readList } from './basic-checks.ts';
import { namedThresholds } from './open-options.ts';
import { type CallNames, callNames, checkNames, checkSignal } from './option-names.ts';
import { checkTags } from './verdicts.ts';

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

export function isHash(hash: unknown): hash is string {
  return isHex(hash, 2, maxHashDigits);
}

export const hashForm = 'lower-case hex of 1–64 bytes';

/** @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkHash(field: string, hash: string): string {
  if (!isHash(hash)) throw invalid(field, hashForm);
  return hash;
}

/** A list of our own. @throws `ERR_MEMPOOL_INVALID` naming the place */
export function checkHashes(field: string, hashes: readonly string[], max: number): string[] {
  return readList(field, hashes, { max, what: 'hashes' }, (hash, i) => {
    if (!isHash(hash)) throw invalid(`${field}[${i}]`, hashForm);
    return hash;
  });
}

/** A checked list without repeats. */
export function distinctHashes(field: string, hashes: readonly string[], max: number): string[] {
  return [...new Set(checkHashes(field, hashes, max))];
}

/** @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkPoint(field: string, point: ChainPoint): ChainPoint {
  if (typeof point !== 'object' || point === null) throw invalid(field, 'a chain point');
  const { slot, hash } = point;
  checkCount(`${field}.slot`, slot);
  if (!isHex(hash, pointHashDigits, pointHashDigits)) throw invalid(`${field}.hash`, '64 lower-case hex digits');
  return { slot, hash };
}

/** L5: `seen` wins over `unseen`; neither list has a limit (X1). */
export function checkBlock(block: Block, policy: Policy, fallback: Thresholds): CheckedBlock {
  if (typeof block !== 'object' || block === null) throw invalid('block', 'a block');
  const { point, parent = null, seen: carried, unseen: gone, provides } = block;
  if (parent !== null && !isHex(parent, pointHashDigits, pointHashDigits))
    throw invalid('block.parent', '64 lower-case hex digits');
  const seen = new Set(checkHashes('block.seen', carried, Number.POSITIVE_INFINITY));
  const unseen = new Set(checkHashes('block.unseen', gone, Number.POSITIVE_INFINITY));
  return {
    point: checkPoint('block.point', point),
    parent,
    seen: [...seen],
    unseen: [...unseen].filter((hash) => !seen.has(hash)),
    provides: checkTags('block.provides', provides, Number.POSITIVE_INFINITY),
    thresholds: { ...fallback, ...checkPolicy(policy) },
  };
}

const policyNames: ReadonlySet<string> = new Set(Object.keys(defaultThresholds));

/** The thresholds that one call names. @throws `ERR_MEMPOOL_INVALID` naming what is wrong */
export function checkPolicy(policy: Policy): Policy {
  return namedThresholds(checkNames('policy', policy, policyNames));
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

const noOptions: WriteContext = Object.freeze({ operationId: undefined, signal: undefined });

/**
 * Options of our own: the caller may change his while the call waits. @throws `ERR_MEMPOOL_INVALID` naming the option
 */
export function checkWrite(options: WriteOptions | undefined, names: CallNames = callNames.write): WriteContext {
  if (options === undefined) return noOptions;
  checkNames('options', options, names);
  const { operationId } = options;
  if (operationId !== undefined && !isOperationId(operationId))
    throw invalid('operationId', '1–128 printable ASCII characters');
  return { operationId, signal: checkSignal(options) };
}

/** X6. @throws `ERR_MEMPOOL_INVALID` naming the field of the lease */
export function checkChainWrite(options: ChainOptions | undefined): ChainContext {
  const context = checkWrite(options, callNames.chain);
  const lease = options?.lease;
  return { ...context, lease: lease === undefined ? null : checkLease(lease) };
}

/** @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkRead(options: ReadOptions | undefined, names: CallNames = callNames.read): ReadContext {
  return { signal: options === undefined ? undefined : checkSignal(checkNames('options', options, names)) };
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
