import { isSharedArrayBuffer, isUint8Array } from 'node:util/types';
import { getterOf, isReadable, lengthOf } from '../codec/payload-bytes.ts';
import { invalid } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Verdict } from '../contract/verdict.ts';
import { hashForm, normalHash } from './arguments.ts';
import { maxCallTransactions, readList } from './basic-checks.ts';
import { unsupported } from './call-errors.ts';
import { checkFields } from './option-names.ts';
import { checkVerdict, saysNothing } from './verdicts.ts';

/**
 * A caller's submission, with each field read once. It is neither checked nor copied yet, so the caller still owns payload
 * and verdict.
 */
export interface ReadSubmission extends Transaction {
  readonly verdict: Verdict | undefined;
  readonly from: string | undefined;
}

/** Reads up to 1,000 submissions, each field once. @throws `ERR_MEMPOOL_INVALID` naming the list or its bad element */
export function readSubmissions(given: readonly Submission[]): ReadSubmission[] {
  return readList('transactions', given, { max: maxCallTransactions, what: 'transactions' }, (each, i) =>
    typeof each === 'object' && each !== null
      ? read(each, () => `transactions[${i}]`)
      : refuse(`transactions[${i}]`, 'a transaction'),
  );
}

/** Reads one submission, each field once. @throws `ERR_MEMPOOL_INVALID` naming `transaction` */
export function readSubmission(given: Submission): ReadSubmission {
  return typeof given === 'object' && given !== null
    ? read(given, () => 'transaction')
    : refuse('transaction', 'a transaction');
}

const submissionNames: ReadonlySet<string> = new Set(['hash', 'payload', 'payloadType', 'verdict', 'from']);

function read(given: Submission, place: () => string): ReadSubmission {
  checkFields(place, given, submissionNames);
  const { hash, payload, payloadType = 0, verdict, from } = given;
  return { hash, payload, payloadType, verdict, from };
}

function refuse(field: string, form: string): never {
  throw invalid(field, form);
}

/**
 * Checks hash, payload and payload type of each transaction, and brings the hash into its normal form. Returns the number
 * of payloads larger than `maxTxBytes`. Call it after all other reads of the caller's objects, because no getter may run
 * between this check of the bytes and the copy of them.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function checkTransactions(submissions: readonly Transaction[], maxTxBytes: number): number {
  let larger = 0;
  for (let i = 0; i < submissions.length; i++) {
    const submission = submissions[i] as Own & Transaction;
    const fault = mendedOrFault(submission);
    if (fault !== null) throw invalid(`transactions[${i}]${fault.field}`, fault.form);
    if (isTooLarge(submission, maxTxBytes)) larger += 1;
    else submission.payload = honestBytes(submission.payload);
  }
  return larger;
}

/** Returns the number of checked transactions whose payload is larger than `maxTxBytes`. */
export function countTooLarge(checked: readonly Transaction[], maxTxBytes: number): number {
  let larger = 0;
  for (const each of checked) if (each.payload.length > maxTxBytes) larger += 1;
  return larger;
}

type Own = { hash: string; payload: Uint8Array };

/** Does the same as `checkTransactions`, for one transaction. Returns true if its payload is larger than `maxTxBytes`. */
export function checkTransaction(submission: Own & Transaction, maxTxBytes: number): boolean {
  const fault = mendedOrFault(submission);
  if (fault !== null) throw invalid(`transaction${fault.field}`, fault.form);
  if (isTooLarge(submission, maxTxBytes)) return true;
  submission.payload = honestBytes(submission.payload);
  return false;
}

/** True if the payload has more than `maxTxBytes` bytes. */
export function isTooLarge({ payload }: Pick<Transaction, 'payload'>, maxTxBytes: number): boolean {
  return lengthOf.call(payload) > maxTxBytes;
}

/**
 * Brings the hash into its normal form. Returns the first invalid field and its valid form, or `null` if all are valid.
 */
function mendedOrFault(own: Own & Transaction): { readonly field: string; readonly form: string } | null {
  const { payload, payloadType } = own;
  const hash = normalHash(own.hash);
  if (hash === null) return { field: '.hash', form: hashForm };
  own.hash = hash;
  if (!isUint8Array(payload)) return { field: '.payload', form: 'a Uint8Array' };
  if (!isReadable(payload)) return { field: '.payload', form: 'readable bytes: its buffer was transferred or shrunk' };
  if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > 0xffff)
    return { field: '.payloadType', form: 'an integer of 0–65,535' };
  return null;
}

const bufferOf = getterOf('buffer') as (this: Uint8Array) => ArrayBufferLike;

/**
 * The payload, or a copy if it cannot be trusted: a subclass may define its own `length`, and another thread may write
 * to shared memory during a read.
 */
function honestBytes(payload: Uint8Array): Uint8Array {
  const kind = Object.getPrototypeOf(payload);
  const isPlain = (kind === Buffer.prototype || kind === Uint8Array.prototype) && !Object.hasOwn(payload, 'length');
  return isPlain && !isSharedArrayBuffer(bufferOf.call(payload)) ? payload : new Uint8Array(payload);
}

/** Copies the payloads, so that the caller may reuse its buffers (M1). */
export function ownPayloads<Given extends Transaction>(given: readonly Given[]): Given[] {
  return given.map((each) => ({ ...each, payload: Buffer.from(each.payload) }));
}

/** Copies the transactions and their payloads, for a backend that keeps them after the call returns (M1). */
export function copyTransactions(transactions: readonly Transaction[]): Transaction[] {
  return transactions.map(({ hash, payload, payloadType }) => ({ hash, payload: Buffer.from(payload), payloadType }));
}

type TooLarge = Extract<ReceiveOutcome, { readonly kind: 'too-large' }>;

/** Returns the outcome of a transaction whose payload is too large. */
export function tooLarge(hash: string, maxTxBytes: number): TooLarge {
  return { kind: 'too-large', hash, maxTxBytes };
}

/** Returns the outcomes of all transactions of a call. `outcomes` are those of the transactions that are not too large. */
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

/** Returns the submissions. @throws `ERR_MEMPOOL_UNSUPPORTED` if one has data that a fifo pool does not store */
export function checkFifoSubmissions(submissions: readonly ReadSubmission[]): readonly ReadSubmission[] {
  for (let i = 0; i < submissions.length; i++) {
    const { verdict, from } = submissions[i] as ReadSubmission;
    if (verdict === undefined && from === undefined) continue;
    if (from === undefined && saysNothing(checkVerdict(i, verdict))) continue;
    const given = from === undefined ? 'a verdict (given, or from `validate`)' : 'a peer (`from`)';
    throw unsupported(`transactions[${i}] has ${given}: that needs a pool opened with ordering: 'priority'`);
  }
  return submissions;
}

/** Checks the limits of a fifo pool. @throws `ERR_MEMPOOL_UNSUPPORTED` if one but `maxTxs` is given */
export function checkFifoLimits({ maxTxs: _, ...others }: Partial<Limits>): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw unsupported(`a fifo pool does not support the limit ${name}`);
}
