import type { ReceiveOutcome } from './store.ts';
import type { Transaction } from './transaction.ts';
import type { Refused, SubmitOutcome } from './validation.ts';

const before = 'refused when this operation id was used first';

/**
 * The answer to each transaction of a call, by hash. Where the call repeats an operation id, the outcomes are those of the
 * first call, and the application may have refused others then: what the store recorded counts (X2).
 */
export function screenedOutcomes(
  transactions: readonly Transaction[],
  refusals: readonly (Refused | null)[],
  outcomes: readonly ReceiveOutcome[],
): SubmitOutcome[] {
  const byHash = Map.groupBy(outcomes, ({ hash }) => hash);
  const next = (hash: string): ReceiveOutcome | undefined => byHash.get(hash)?.shift();
  // Of several with one hash, those that the application accepts were sent: theirs are the first.
  const sent = transactions.map(({ hash }, i) => (refusals[i] === null ? next(hash) : undefined));
  return transactions.map(
    ({ hash }, i) => sent[i] ?? next(hash) ?? refusals[i] ?? { kind: 'refused', hash, reason: before },
  );
}
