/** What a real transaction spends and makes, read from its bytes. */
import { type OutputReference, readTransaction } from 'mempool-cardano';
import type { Transaction } from 'mempool-core';
import type { Spending } from './spending.ts';

/**
 * A transaction whose script failed spends its collateral instead of its inputs. It makes only the collateral return, numbered after the
 * outputs that it did not make.
 *
 * @throws TransactionError if the bytes are not a transaction
 */
export function cardanoSpending({ hash, payload }: Transaction): Spending {
  const { valid, inputs, outputs, fee, collateral, collateralReturn, totalCollateral } = readTransaction(payload);
  const outpoint = (index: number): string => `${hash}#${index}`;
  if (valid) {
    const made = outputs.map((_, index) => outpoint(index));
    return { inputs: inputs.map(outpointOf), outputs: made, fee: Number(fee ?? 0) };
  }
  const made = collateralReturn === null ? [] : [outpoint(outputs.length)];
  return { inputs: collateral.map(outpointOf), outputs: made, fee: Number(totalCollateral ?? 0) };
}

function outpointOf({ hash, index }: OutputReference): string {
  return `${hash}#${index}`;
}
