import { type Answer, type Transaction, utxo, type Verdict } from 'mempool-core';

/** The outputs that a transaction spends and makes, each named by its outpoint. */
export interface Spending {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly fee: number;
}

/** The state of an output, as far as the chain knows. */
export type OutputState = 'unspent' | 'spent' | 'unknown';

/** An own code of this application; 0 would say that all is well. */
const alreadySpent = 1;

/** Refuses a transaction that spends a spent output. An unknown output becomes a required tag: another transaction must make it. */
export function judge(
  { payload }: Transaction,
  { inputs, outputs, fee }: Spending,
  stateOf: (outpoint: string) => OutputState,
): Answer {
  const spent = inputs.find((input) => stateOf(input) === 'spent');
  if (spent !== undefined) return { code: alreadySpent, log: `${spent} was spent`, penalize: false };
  const confirmed = inputs.filter((input) => stateOf(input) === 'unspent');
  const unconfirmed = inputs.filter((input) => stateOf(input) === 'unknown');
  return utxo({ confirmed, unconfirmed }, outputs, { priority: rate(fee, payload.length) });
}

/** Fee for a thousand bytes: a fee alone would let one large transaction sort before many small ones that pay more together. */
function rate(fee: number, bytes: number): NonNullable<Verdict['priority']> {
  return (BigInt(fee) * 1_000n) / BigInt(bytes);
}
