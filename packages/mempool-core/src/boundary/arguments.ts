import type {
  ChainContext,
  ChainOptions,
  ReadContext,
  ReadOptions,
  WriteContext,
  WriteOptions,
} from '../contract/call-options.ts';
import type { CheckedBlock } from '../contract/driver.ts';
import { type DropReason, isPoolReason, poolReasons, reasonText } from '../contract/drop-reason.ts';
import { invalid } from '../contract/errors.ts';
import type { Lease } from '../contract/lease.ts';
import { defaultThresholds, type Thresholds } from '../contract/lifecycle.ts';
import type { Block, Policy, RollbackTarget } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { checkCount, readList } from './basic-checks.ts';
import { namedThresholds } from './open-options.ts';
import { type CallNames, callNames, checkFields, checkNames, checkSignal } from './option-names.ts';
import { checkTags } from './verdicts.ts';

const maxHashDigits = 128;
const blockHashDigits = 64;
const blockHashForm = 'the hash of a block: hex of 32 bytes, with or without 0x';
const maxReasonLength = 256;

/**
 * True for lower-case hex of an even length between `min` and `max` digits. Every call checks every hash, so this loop
 * avoids branches: a code outside `0–9` and `a–f` sets the sign bit of `signs`. A regular expression takes three times
 * as long.
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

/**
 * Returns a hash in its normal form, lower-case hex without `0x`, or `null` if it is no hash. Only this function normalises;
 * later code compares hashes as text. Most callers give the normal form, so it is tried first.
 */
export function normalHash(hash: unknown): string | null {
  if (isHex(hash, 2, maxHashDigits)) return hash;
  if (typeof hash !== 'string' || hash.length > maxHashDigits + 2) return null;
  const digits = hash.toLowerCase().replace(/^0x/, '');
  return isHex(digits, 2, maxHashDigits) ? digits : null;
}

/** The form of a valid hash, for error messages. */
export const hashForm = 'hex of 1–64 bytes, with or without 0x';

/** Returns the hash in its normal form. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkHash(field: string, hash: string): string {
  return normalHash(hash) ?? refuse(field, hashForm);
}

/** Returns the hash of a block in its normal form. @throws `ERR_MEMPOOL_INVALID` naming the field */
function checkBlockHash(field: string, hash: string): string {
  const normal = normalHash(hash);
  return normal?.length === blockHashDigits ? normal : refuse(field, blockHashForm);
}

/** Returns the point with its hash in the normal form. A hash that is none stays as it is. */
export function normalPoint(point: ChainPoint): ChainPoint {
  const hash = normalHash(point.hash) ?? point.hash;
  return hash === point.hash ? point : { ...point, hash };
}

function refuse(field: string, form: string): never {
  throw invalid(field, form);
}

/** Returns a checked copy of the list, with hashes in normal form. @throws `ERR_MEMPOOL_INVALID` naming the list or element */
export function checkHashes(field: string, hashes: readonly string[], max: number): string[] {
  return readList(
    field,
    hashes,
    { max, what: 'hashes' },
    (hash, i) => normalHash(hash) ?? refuse(`${field}[${i}]`, hashForm),
  );
}

/** Does the same as `checkHashes`, and removes repeats. */
export function distinctHashes(field: string, hashes: readonly string[], max: number): string[] {
  return [...new Set(checkHashes(field, hashes, max))];
}

const pointNames: ReadonlySet<string> = new Set(['slot', 'hash']);
const blockNames: ReadonlySet<string> = new Set(['point', 'parent', 'seen', 'unseen', 'provides']);

/** Returns a checked copy of the point. @throws `ERR_MEMPOOL_INVALID` naming the field */
function checkPoint(field: string, point: ChainPoint): ChainPoint {
  if (typeof point !== 'object' || point === null) throw invalid(field, 'a chain point');
  checkFields(() => field, point, pointNames);
  const { slot, hash } = point;
  checkCount(`${field}.slot`, slot);
  return { slot, hash: checkBlockHash(`${field}.hash`, hash) };
}

/**
 * Returns a checked copy of the target of a rollback; `null` for the origin.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function checkTarget(target: RollbackTarget): ChainPoint | null {
  if (target === 'origin') return null;
  if (typeof target !== 'object' || target === null)
    throw invalid('point', "a chain point, or 'origin' to undo every block that is kept");
  return checkPoint('point', target);
}

/**
 * Returns a checked copy of the block. A hash in both lists counts as seen (L5). The lists may have any length (X1).
 * Thresholds that `policy` does not name come from `fallback`.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function checkBlock(block: Block, policy: Policy, fallback: Thresholds): CheckedBlock {
  const thresholds = { ...fallback, ...checkPolicy(policy) };
  return { ...ownBlock(block), thresholds };
}

/** Does the same as `checkBlock`, without the thresholds. @throws `ERR_MEMPOOL_INVALID` naming the field */
function ownBlock(block: Block): Omit<CheckedBlock, 'thresholds'> {
  if (typeof block !== 'object' || block === null) throw invalid('block', 'a block');
  checkFields(() => 'block', block, blockNames);
  const { point, parent = null, seen: carried, unseen: gone = [], provides } = block;
  const seen = new Set(checkHashes('block.seen', carried, Number.POSITIVE_INFINITY));
  const unseen = new Set(checkHashes('block.unseen', gone, Number.POSITIVE_INFINITY));
  return {
    point: checkPoint('block.point', point),
    parent: parent === null ? null : checkBlockHash('block.parent', parent),
    seen: [...seen],
    unseen: [...unseen].filter((hash) => !seen.has(hash)),
    provides: checkTags('block.provides', provides, Number.POSITIVE_INFINITY),
  };
}

const policyNames: ReadonlySet<string> = new Set(Object.keys(defaultThresholds));

/** Returns the thresholds that `policy` names. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkPolicy(policy: Policy): Policy {
  return namedThresholds(checkNames('policy', policy, policyNames));
}

/** Returns the text to store for the reason of a `drop` call (E6). @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkReason(reason: DropReason): string {
  if (typeof reason === 'string') {
    if (isPoolReason(reason)) return reason;
    throw invalid('reason', `one of ${poolReasons.join(', ')}, or { app: string }`);
  }
  if (typeof reason !== 'object' || reason === null) throw invalid('reason', 'a drop reason');
  const { app } = reason;
  if (typeof app !== 'string' || app.length < 1 || app.length > maxReasonLength)
    throw invalid('reason.app', `a string of 1–${maxReasonLength} characters`);
  if (!app.isWellFormed()) throw invalid('reason.app', 'well-formed Unicode');
  return reasonText({ app });
}

/** Returns the limit of a page, rounded down. Accepts any number except NaN. @throws `ERR_MEMPOOL_INVALID` naming `limit` */
export function checkLimit(limit: number | undefined): number | undefined {
  if (limit !== undefined && (typeof limit !== 'number' || Number.isNaN(limit))) throw invalid('limit', 'a number');
  return limit === undefined ? undefined : Math.floor(limit);
}

const noOptions: WriteContext = Object.freeze({ operationId: undefined, signal: undefined });

/**
 * Returns a checked copy of the options, because the caller may change the object while the call waits.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the option
 */
export function checkWrite(options: WriteOptions | undefined, names: CallNames = callNames.write): WriteContext {
  if (options === undefined) return noOptions;
  checkNames('options', options, names);
  const { operationId } = options;
  if (operationId !== undefined && !isOperationId(operationId))
    throw invalid('operationId', '1–128 printable ASCII characters');
  return { operationId, signal: checkSignal(options) };
}

/**
 * Does the same as `checkWrite`, and checks the lease of a `confirm` or `rollback` call (X6).
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function checkChainWrite(options: ChainOptions | undefined, names: CallNames = callNames.chain): ChainContext {
  const context = checkWrite(options, names);
  const lease = options?.lease;
  return { ...context, lease: lease === undefined ? null : checkLease(lease) };
}

/** Returns a checked copy of the options of a read. @throws `ERR_MEMPOOL_INVALID` naming the option */
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

/** True for a valid operation id. The id of a claim has the same form. */
export function isOperationId(operationId: unknown): boolean {
  return typeof operationId === 'string' && /^[\x20-\x7e]{1,128}$/.test(operationId);
}
