import { checkName } from '../boundary/verdicts.ts';
import { invalid } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { Verdict } from '../contract/verdict.ts';

const maxOutpointLength = 250;

/** The outputs that a transaction spends. Each is named by an outpoint, which is any text that identifies one output. */
export interface Inputs {
  /** Outputs on the chain, as far as the caller knows. */
  readonly confirmed: readonly string[];
  /** Outputs that are not on the chain yet. The transaction that makes them is in the pool, or has yet to arrive. */
  readonly unconfirmed?: readonly string[] | undefined;
}

/**
 * Limits that suit the UTXO model. A full pool refuses new transactions, so a transaction with a higher priority cannot
 * break a chain of dependent transactions. To also prevent one spend of an output from replacing another, give verdicts
 * without a priority.
 */
export const utxoLimits: Partial<Limits> = Object.freeze({ eviction: 'none' });

/**
 * Returns the verdict for a transaction in the UTXO model. Of two transactions that spend one output, the pool keeps only
 * one. A transaction that spends the output of another sorts after it, and is parked until the other arrives. Inputs and
 * outputs are at most 1,024 together. An outpoint has 1–250 characters. Tags in `rest` are added.
 * @throws `ERR_MEMPOOL_INVALID` naming the outpoint
 */
export function utxo(inputs: Inputs, outputs: readonly string[], rest: Verdict = {}): Verdict {
  const { confirmed, unconfirmed = [] } = inputs;
  const provides = [...utxoTags([...confirmed, ...unconfirmed], outputs), ...(rest.provides ?? [])];
  const requires = [...unconfirmed.map(madeTag), ...(rest.requires ?? [])];
  return { ...rest, provides, requires };
}

/**
 * Returns the tags of a transaction with these inputs and outputs. Put them into the `provides` of a block for
 * transactions that the pool never had.
 * @throws `ERR_MEMPOOL_INVALID` naming the outpoint
 */
export function utxoTags(inputs: readonly string[], outputs: readonly string[]): string[] {
  for (const [i, outpoint] of inputs.entries()) checkOutpoint(`inputs[${i}]`, outpoint);
  for (const [i, outpoint] of outputs.entries()) checkOutpoint(`outputs[${i}]`, outpoint);
  return [...inputs.map(spentTag), ...outputs.map(madeTag)];
}

/** The tag of a spent output. At most one transaction provides it, in the pool and on the chain. */
function spentTag(outpoint: string): string {
  return `spent:${outpoint}`;
}

function madeTag(outpoint: string): string {
  return `made:${outpoint}`;
}

function checkOutpoint(field: string, outpoint: string): void {
  checkName(field, outpoint, 1);
  if (outpoint.length > maxOutpointLength) throw invalid(field, `at most ${maxOutpointLength} characters`);
}
