import { checkName } from '../boundary/verdicts.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import type { SenderPage } from '../contract/pool-verbs.ts';
import type { Refusal, Verdict } from '../contract/verdict.ts';
import type { PriorityMempool } from './pool-of-ordering.ts';
import { nonceUsed } from './standard-refusals.ts';

/** A nonce: a bigint or a safe integer, from 0 to 2^64 − 1. */
export type Nonce = bigint | number;

const endOfNonces = 2n ** 64n;
const prefix = 'account:';
const maxNonceDigits = 20;
const maxSenderLength = 256 - prefix.length - 1 - maxNonceDigits;

/**
 * Returns the verdict for a transaction in the account model. The pool keeps one transaction for each nonce of a sender
 * and orders them by nonce. Another transaction with the same nonce must replace the first one. If the previous nonce is
 * neither in the pool nor on the chain, the transaction is parked until it arrives. Tags in `rest` are added.
 *
 * `chainNonce` is the nonce that the chain expects next. No block can contain a lower nonce, so for a lower one the
 * function returns a refusal, which `validate` can return as its answer.
 * @throws `ERR_MEMPOOL_INVALID` naming the argument
 */
export function account(
  sender: string,
  nonce: Nonce,
  chainNonce: Nonce,
  rest: Omit<Verdict, 'sender'> = {},
): Verdict | Refusal {
  const own = checkNonce('nonce', nonce);
  const expected = checkNonce('chainNonce', chainNonce);
  const provides = [accountTag(sender, own), ...(rest.provides ?? [])];
  if (own < expected) return nonceUsed(sender, own, expected);
  const before = own === expected ? [] : [accountTag(sender, own - 1n)];
  return { ...rest, sender, provides, requires: [...before, ...(rest.requires ?? [])] };
}

/**
 * Returns the tag of one nonce of a sender. Put it into the `provides` of a block if a transaction outside the pool used
 * the nonce.
 * @throws `ERR_MEMPOOL_INVALID` naming the argument
 */
export function accountTag(sender: string, nonce: Nonce): string {
  checkName('sender', sender, 1);
  if (sender.length > maxSenderLength) throw invalid('sender', `at most ${maxSenderLength} characters`);
  return `${prefix}${sender}:${checkNonce('nonce', nonce)}`;
}

/**
 * Returns the sender's next free nonce, as `eth_getTransactionCount(…, 'pending')` does: the first nonce from `chainNonce`
 * on that no transaction of the sender in flight or ready uses. Parked ones do not count, because they wait for this nonce.
 * It reads all pages of `bySender`.
 * @throws `ERR_MEMPOOL_INVALID` naming the argument; the errors of `bySender`
 */
export async function nextNonce(
  pool: Pick<PriorityMempool, 'bySender'>,
  sender: string,
  chainNonce: Nonce,
  options: ReadOptions = {},
): Promise<bigint> {
  let next = checkNonce('chainNonce', chainNonce);
  const used = new Set<string>();
  for (let after: string | null | undefined; after !== null; ) {
    const page: SenderPage = await pool.bySender(sender, { ...options, after });
    for (const { parked, provides } of page.transactions) if (!parked) for (const tag of provides) used.add(tag);
    after = page.next;
  }
  while (next < endOfNonces - 1n && used.has(accountTag(sender, next))) next += 1n;
  return next;
}

function checkNonce(field: string, nonce: Nonce): bigint {
  if (typeof nonce !== 'bigint' && !Number.isSafeInteger(nonce)) throw invalid(field, 'a bigint or a safe integer');
  const value = BigInt(nonce);
  if (value < 0n || value >= endOfNonces) throw invalid(field, 'from 0 to 2^64 − 1');
  return value;
}

/**
 * Returns a verdict that allows a sender one transaction in the pool at a time. A second one has the outcome
 * `sender-limit`, whatever its priority, until the first one is Confirmed or has left the pool. The empty sender has no
 * limit.
 * @throws `ERR_MEMPOOL_INVALID` naming `sender`
 */
export function onePerSender(sender: string, rest: Omit<Verdict, 'sender' | 'senderLimit'> = {}): Verdict {
  return { ...rest, sender: checkName('sender', sender, 0), senderLimit: 1 };
}
