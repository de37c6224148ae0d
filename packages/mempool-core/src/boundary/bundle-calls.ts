import { type BundleOutcome, maxBundle } from '../contract/bundle-verbs.ts';
import type { Awaitable, WriteContext } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import type { CheckedSubmission } from '../contract/pool-driver.ts';
import type { ReceiveOptions, Submission } from '../contract/pool-verbs.ts';
import type { CheckedVerdict } from '../contract/verdict.ts';
import type { CallRunner } from './call-runner.ts';
import { asChecked, isChecked } from './checked-once.ts';
import { transactionsPart, withDigest } from './operation-digest.ts';
import { callNames } from './option-names.ts';
import { checkCallTime, checkSubmissions } from './pool-arguments.ts';
import { checkTransactions, isTooLarge, ownPayloads, readSubmissions, tooLarge } from './submissions.ts';

/** Returns checked copies of the transactions of a bundle. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkBundle(transactions: readonly Submission[]): CheckedSubmission[] {
  if (isChecked<CheckedSubmission[]>(transactions)) return transactions;
  const given = checkSubmissions(readSubmissions(transactions));
  if (given.length < 1 || given.length > maxBundle) throw invalid('transactions', `1–${maxBundle} transactions`);
  checkTransactions(given, Number.POSITIVE_INFINITY);
  for (const [i, { verdict }] of given.entries()) checkPlain(`transactions[${i}].verdict`, verdict);
  if (new Set(given.map(({ hash }) => hash)).size < given.length)
    throw invalid('transactions', 'a list without duplicate hashes');
  return asChecked(ownPayloads(given));
}

/** A bundle has one price, and leaves as a whole. */
function checkPlain(place: string, { protected: isProtected, tip }: CheckedVerdict): void {
  if (tip !== undefined) throw invalid(`${place}.tip`, 'absent in a bundle');
  if (isProtected) throw invalid(`${place}.protected`, 'absent or false in a bundle');
}

export function receiveBundle(
  calls: CallRunner,
  transactions: readonly Submission[],
  options: ReceiveOptions | undefined,
): Promise<BundleOutcome> {
  const run = (context: WriteContext): Awaitable<BundleOutcome> => {
    const verb = calls.verb('receiveBundle');
    const own = checkBundle(transactions);
    const moment = checkCallTime(options);
    const { maxTxBytes } = calls.options;
    const large = own.find((each) => isTooLarge(each, maxTxBytes));
    if (large !== undefined) return { kind: 'refused', refusal: tooLarge(large.hash, maxTxBytes) };
    return verb(
      own,
      moment,
      withDigest(context, 'receiveBundle', () => [transactionsPart(own)]),
    );
  };
  return calls.write(options, run, callNames.moment);
}
