import { isSharedArrayBuffer, isUint8Array } from 'node:util/types';
import { getterOf, isReadable } from '../codec/payload-bytes.ts';
import { invalid } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { CheckedVerdict } from '../contract/verdict.ts';
import { hashForm, normalHash } from './arguments.ts';
import { maxCallTransactions, readList } from './basic-checks.ts';
import { unsupported } from './call-errors.ts';
import { checkFields } from './option-names.ts';
import { checkName, checkVerdict, saysNothing } from './verdicts.ts';

/** A submission with each field read once. `null`: the caller gave no verdict, or no peer. */
export interface OwnSubmission extends Transaction {
  readonly verdict: CheckedVerdict | null;
  readonly from: string | null;
}

/**
 * Reads up to 1,000 submissions, each field once, and checks verdict and peer. `sender` is the peer of those that name none.
 * The payloads are still the caller's: see `checkTransactions`.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the list, its bad element or the field
 */
export function readSubmissions(given: readonly Submission[], sender: string | undefined): OwnSubmission[] {
  return readList('transactions', given, { max: maxCallTransactions, what: 'transactions' }, (each, i) =>
    readSubmission(each, sender, i),
  );
}

const submissionNames: ReadonlySet<string> = new Set(['hash', 'payload', 'payloadType', 'verdict', 'from']);

/** Does the same for one submission, at a place in a list or alone. */
export function readSubmission(given: Submission, sender: string | undefined, i?: number): OwnSubmission {
  const place = (): string => placeOf(i);
  if (typeof given !== 'object' || given === null) throw invalid(place(), 'a transaction');
  checkFields(place, given, submissionNames);
  const { hash, payload, payloadType = 0, verdict, from = sender } = given;
  return {
    hash,
    payload,
    payloadType,
    verdict: verdict === undefined ? null : checkVerdict(i ?? 'transaction.verdict', verdict),
    from: from === undefined ? null : checkName(`${place()}.from`, from, 1),
  };
}

function placeOf(i: number | undefined): string {
  return i === undefined ? 'transaction' : `transactions[${i}]`;
}

/**
 * Checks hash, payload and payload type of each transaction, and brings the hash into its normal form. Call it after all
 * other reads of the caller's objects, because no getter may run between this check of the bytes and the copy of them.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function checkTransactions(own: readonly Transaction[]): void {
  for (let i = 0; i < own.length; i++) checkTransaction(own[i] as Transaction, i);
}

/** Does the same for one transaction, at a place in a list or alone. */
export function checkTransaction(given: Transaction, i?: number): void {
  const own = given as Own & Transaction;
  const fault = mendedOrFault(own);
  if (fault !== null) throw invalid(`${placeOf(i)}${fault.field}`, fault.form);
  own.payload = honestBytes(own.payload);
}

type Own = { hash: string; payload: Uint8Array };

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

/** Copies the transactions and their payloads, for a backend that keeps them after the call returns (M1). */
export function copyTransactions(transactions: readonly Transaction[]): Transaction[] {
  return transactions.map(({ hash, payload, payloadType }) => ({ hash, payload: Buffer.from(payload), payloadType }));
}

/** @throws `ERR_MEMPOOL_UNSUPPORTED` if one has data that a fifo pool does not store */
export function checkFifoSubmissions(submissions: readonly OwnSubmission[]): void {
  for (let i = 0; i < submissions.length; i++) {
    const { verdict, from } = submissions[i] as OwnSubmission;
    if (from === null && (verdict === null || saysNothing(verdict))) continue;
    const given = from === null ? 'a verdict (given, or from `validate`)' : 'a peer (`from`)';
    throw unsupported(`transactions[${i}] has ${given}: that needs a pool opened with ordering: 'priority'`);
  }
}

/** Checks the limits of a fifo pool. @throws `ERR_MEMPOOL_UNSUPPORTED` if one but `maxTxs` is given */
export function checkFifoLimits({ maxTxs: _, ...others }: Partial<Limits>): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw unsupported(`a fifo pool does not support the limit ${name}`);
}
