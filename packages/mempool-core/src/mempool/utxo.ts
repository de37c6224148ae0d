import { checkName } from '../boundary/verdicts.ts';
import { invalid } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { Verdict } from '../contract/verdict.ts';

const maxOutpointLength = 250;

/** The outputs that a transaction spends, each named by an outpoint: whatever text names an output and no other one. */
export interface Inputs {
  /** Made on the chain, as far as the caller sees it. */
  readonly confirmed: readonly string[];
  /** Not on the chain yet: made by a transaction that is in the pool, or has to come. */
  readonly unconfirmed?: readonly string[] | undefined;
}

/**
 * Limits that suit the UTXO model: who spends an output first keeps it, and a full pool refuses, so that nobody's chain of
 * transactions is cut by a stranger who pays more. Leave the priority out, too, where no spend may replace another.
 */
export const utxoLimits: Partial<Limits> = Object.freeze({ eviction: 'none' });

/**
 * The verdict in the UTXO model: of two that spend one output only one can be in the pool, and one that spends what another
 * makes comes after it, parked until that one is there. Inputs and outputs are 1,024 together at the most, each outpoint 1–250
 * characters. Tags given in `rest` come on top.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the outpoint
 */
export function utxo(inputs: Inputs, outputs: readonly string[], rest: Verdict = {}): Verdict {
  const { confirmed, unconfirmed = [] } = inputs;
  const provides = [...utxoTags([...confirmed, ...unconfirmed], outputs), ...(rest.provides ?? [])];
  const requires = [...unconfirmed.map(madeTag), ...(rest.requires ?? [])];
  return { ...rest, provides, requires };
}

/**
 * The tags of what spends and makes these: for a block's `provides`, of transactions that the pool never had.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the outpoint
 */
export function utxoTags(inputs: readonly string[], outputs: readonly string[]): string[] {
  for (const [i, outpoint] of inputs.entries()) checkOutpoint(`inputs[${i}]`, outpoint);
  for (const [i, outpoint] of outputs.entries()) checkOutpoint(`outputs[${i}]`, outpoint);
  return [...inputs.map(spentTag), ...outputs.map(madeTag)];
}

/** At most one spends it, on the chain as in the pool. */
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
