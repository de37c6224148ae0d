import { checkName } from '../boundary/verdicts.ts';
import { invalid } from '../contract/errors.ts';
import type { Refusal, Verdict } from '../contract/verdict.ts';
import { nonceUsed } from './standard-refusals.ts';

/** A bigint, or a safe integer; at least 0 and of 64 bits. */
export type Nonce = bigint | number;

const endOfNonces = 2n ** 64n;
const prefix = 'account:';
const maxNonceDigits = 20;
const maxSenderLength = 256 - prefix.length - 1 - maxNonceDigits;

/**
 * The verdict in the account model: one transaction for each nonce, in the order of the nonces. Another one with the same nonce
 * has to replace the first; one whose predecessor is neither in the pool nor on the chain is parked until it comes.
 * `chainNonce` is the nonce that the chain expects next: what lies below it can never get into a block, and is answered with
 * a refusal, to be handed on as the validator's answer.
 *
 * Tags given in `rest` come on top.
 *
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
 * The tag of one nonce: for a block's `provides`, where somebody else's transaction used it.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the argument
 */
export function accountTag(sender: string, nonce: Nonce): string {
  checkName('sender', sender, 1);
  if (sender.length > maxSenderLength) throw invalid('sender', `at most ${maxSenderLength} characters`);
  return `${prefix}${sender}:${checkNonce('nonce', nonce)}`;
}

function checkNonce(field: string, nonce: Nonce): bigint {
  if (typeof nonce !== 'bigint' && !Number.isSafeInteger(nonce)) throw invalid(field, 'a bigint or a safe integer');
  const value = BigInt(nonce);
  if (value < 0n || value >= endOfNonces) throw invalid(field, 'at least 0 and of 64 bits');
  return value;
}

/**
 * The verdict where a sender may have one transaction in the pool at a time: a second one is `sender-limit` whatever it pays,
 * until the first is Confirmed or gone. The empty sender is nobody and has no limit.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `sender`
 */
export function onePerSender(sender: string, rest: Omit<Verdict, 'sender' | 'senderLimit'> = {}): Verdict {
  return { ...rest, sender: checkName('sender', sender, 0), senderLimit: 1 };
}
