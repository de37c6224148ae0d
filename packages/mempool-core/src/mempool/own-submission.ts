import { asChecked } from '../boundary/checked-once.ts';
import {
  checkTransaction,
  checkTransactions,
  isTooLarge,
  type ReadSubmission,
  tooLarge,
} from '../boundary/submissions.ts';
import { checkName, checkVerdict } from '../boundary/verdicts.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { CheckedVerdict, Verdict } from '../contract/verdict.ts';

/** A checked copy of a submission. */
export interface OwnSubmission extends Submission {
  readonly payloadType: number;
}

type Own = { readonly kind: 'own'; readonly submission: OwnSubmission } | ReturnType<typeof tooLarge>;

/**
 * Returns a checked copy of a submission, which the caller cannot change later (M1). `sender` is the peer if the submission
 * names none.
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function ownSubmission(read: ReadSubmission, sender: string | undefined, maxTxBytes: number): Own {
  const said = sayings('transaction', read, sender);
  if (checkTransaction(read, maxTxBytes)) return tooLarge(read.hash, maxTxBytes);
  return { kind: 'own', submission: copy(read, said) };
}

/** Returns copies of the submissions that are not too large. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function ownSubmissions(
  read: readonly ReadSubmission[],
  sender: string | undefined,
  maxTxBytes: number,
): OwnSubmission[] {
  const said = read.map((each, i) => sayings(`transactions[${i}]`, each, sender));
  checkTransactions(read, maxTxBytes);
  return read.flatMap((each, i) => (isTooLarge(each, maxTxBytes) ? [] : [copy(each, said[i] ?? null)]));
}

/** Returns the size of a submission in a store call, in bytes (O6). Tags count, because they may be larger than the payload. */
export function weight({ payload, verdict: { provides = [], requires = [] } = {} }: Submission): number {
  let bytes = payload.length;
  for (const tag of provides) bytes += tag.length;
  for (const tag of requires) bytes += tag.length;
  return bytes;
}

type Sayings = Pick<Submission, 'verdict' | 'from'>;

/** The verdict and the peer of a submission; `null` if it has neither. */
function sayings(place: string, { verdict, from: own }: ReadSubmission, sender: string | undefined): Sayings | null {
  const from = own === undefined ? sender : checkName(`${place}.from`, own, 1);
  if (verdict === undefined && from === undefined) return null;
  return { from, verdict: verdict === undefined ? undefined : ownVerdict(`${place}.verdict`, verdict) };
}

function copy({ hash, payload, payloadType }: ReadSubmission, said: Sayings | null): OwnSubmission {
  return { hash, payload: Buffer.from(payload), payloadType, ...said };
}

/**
 * Returns a checked copy of a verdict. An unknown field is an error, so that a mistyped refusal never accepts a transaction.
 * @throws `ERR_MEMPOOL_INVALID` naming the field, with `place` before it
 */
export function ownVerdict(place: string, verdict: Verdict): CheckedVerdict {
  return asChecked(checkVerdict(place, verdict));
}
