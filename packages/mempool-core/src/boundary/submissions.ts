import { isSharedArrayBuffer, isUint8Array } from 'node:util/types';
import { getterOf, isReadable, lengthOf } from '../codec/payload-bytes.ts';
import { invalid } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Verdict } from '../contract/verdict.ts';
import { hashForm, isHash, maxCallTransactions } from './arguments.ts';
import { readList } from './basic-checks.ts';
import { unsupported } from './call-errors.ts';
import { checkVerdict, saysNothing } from './verdicts.ts';

/** What a caller hands in, read from his object once; verdict and sender are not checked yet, and his own. */
export interface ReadSubmission extends Transaction {
  readonly verdict: Verdict | undefined;
  readonly from: string | undefined;
}

/** @throws `ERR_MEMPOOL_INVALID` naming the place */
export function readSubmissions(given: readonly Submission[]): ReadSubmission[] {
  return readList('transactions', given, { max: maxCallTransactions, what: 'transactions' }, (each, i) =>
    typeof each === 'object' && each !== null ? read(each) : refuse(`transactions[${i}]`, 'a transaction'),
  );
}

/** @throws `ERR_MEMPOOL_INVALID` naming `transaction` */
export function readSubmission(given: Submission): ReadSubmission {
  return typeof given === 'object' && given !== null ? read(given) : refuse('transaction', 'a transaction');
}

function read({ hash, payload, payloadType, verdict, from }: Submission): ReadSubmission {
  return { hash, payload, payloadType, verdict, from };
}

function refuse(field: string, form: string): never {
  throw invalid(field, form);
}

/**
 * Checks what all pools check, and tells how many are larger than `maxTxBytes`. Call it when everything else was read: no getter
 * of the caller's runs between this look at the bytes and their copying.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field below the place
 */
export function checkTransactions(submissions: readonly Transaction[], maxTxBytes: number): number {
  let larger = 0;
  for (let i = 0; i < submissions.length; i++) {
    const submission = submissions[i] as Own & Transaction;
    const fault = faultOf(submission);
    if (fault !== null) throw invalid(`transactions[${i}]${fault.field}`, fault.form);
    if (isTooLarge(submission, maxTxBytes)) larger += 1;
    else submission.payload = honestBytes(submission.payload);
  }
  return larger;
}

type Own = { payload: Uint8Array };

/** The same of a single one: whether it is larger. */
export function checkTransaction(submission: Own & Transaction, maxTxBytes: number): boolean {
  const fault = faultOf(submission);
  if (fault !== null) throw invalid(`transaction${fault.field}`, fault.form);
  if (isTooLarge(submission, maxTxBytes)) return true;
  submission.payload = honestBytes(submission.payload);
  return false;
}

export function isTooLarge({ payload }: Pick<Transaction, 'payload'>, maxTxBytes: number): boolean {
  return lengthOf.call(payload) > maxTxBytes;
}

/** What is wrong with it: the field, and what it should be; `null` for nothing, as nearly always. */
function faultOf({
  hash,
  payload,
  payloadType,
}: Transaction): { readonly field: string; readonly form: string } | null {
  if (!isHash(hash)) return { field: '.hash', form: hashForm };
  if (!isUint8Array(payload)) return { field: '.payload', form: 'a Uint8Array' };
  if (!isReadable(payload)) return { field: '.payload', form: 'bytes that can be read: its buffer was given away' };
  if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > 0xffff)
    return { field: '.payloadType', form: 'an integer of 0–65,535' };
  return null;
}

const bufferOf = getterOf('buffer') as (this: Uint8Array) => ArrayBufferLike;

/**
 * The payload, or a copy where it is not what it says: its `length` may be one of the caller's making, and what lies in shared
 * memory may be written while it is read.
 */
function honestBytes(payload: Uint8Array): Uint8Array {
  const kind = Object.getPrototypeOf(payload);
  const isPlain = (kind === Buffer.prototype || kind === Uint8Array.prototype) && !Object.hasOwn(payload, 'length');
  return isPlain && !isSharedArrayBuffer(bufferOf.call(payload)) ? payload : new Uint8Array(payload);
}

/** M1: the bytes stay as they are whatever the caller does next. */
export function ownPayloads<Given extends Transaction>(given: readonly Given[]): Given[] {
  return given.map((each) => ({ ...each, payload: Buffer.from(each.payload) }));
}

/** M1: transactions that a backend keeps beyond the turn of the call. */
export function copyTransactions(transactions: readonly Transaction[]): Transaction[] {
  return transactions.map(({ hash, payload, payloadType }) => ({ hash, payload: Buffer.from(payload), payloadType }));
}

type TooLarge = Extract<ReceiveOutcome, { readonly kind: 'too-large' }>;

export function tooLarge(hash: string, maxTxBytes: number): TooLarge {
  return { kind: 'too-large', hash, maxTxBytes };
}

/** The answers to all of a call, of which those that are not too large were sent. */
export function withTooLarge<Outcome>(
  given: readonly Transaction[],
  outcomes: readonly Outcome[],
  maxTxBytes: number,
): (Outcome | TooLarge)[] {
  let sent = 0;
  return given.map((each) => {
    if (isTooLarge(each, maxTxBytes)) return tooLarge(each.hash, maxTxBytes);
    sent += 1;
    return outcomes[sent - 1] as Outcome;
  });
}

/** What a pool in order of arrival would have to forget. */
export function checkFifoSubmissions(submissions: readonly ReadSubmission[]): readonly ReadSubmission[] {
  for (let i = 0; i < submissions.length; i++) {
    const { verdict, from } = submissions[i] as ReadSubmission;
    if (verdict === undefined && from === undefined) continue;
    if (from === undefined && saysNothing(checkVerdict(`transactions[${i}].verdict`, verdict))) continue;
    throw unsupported(`a fifo pool keeps no verdicts and no sources (transactions[${i}])`);
  }
  return submissions;
}

/** Limits that such a pool does not have. @throws `ERR_MEMPOOL_UNSUPPORTED` */
export function checkFifoLimits({ maxTxs: _, ...others }: Partial<Limits>): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw unsupported(`a fifo pool has no ${name}`);
}
