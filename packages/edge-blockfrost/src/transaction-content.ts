import {
  type CardanoOutput,
  type CardanoTransaction,
  type CardanoValue,
  type OutputReference,
  readTransaction,
  TransactionError,
} from 'mempool-cardano';
import type { Mempool } from 'mempool-core';

/** A quantity of one asset. */
interface Amount {
  readonly unit: string;
  readonly quantity: string;
}

/** Returns the answer to `/mempool/{hash}`, in the form of Blockfrost's OpenAPI document. */
export async function transactionContent(
  pool: Mempool,
  transaction: CardanoTransaction,
  bytes: number,
): Promise<object> {
  return {
    tx: facts(transaction, bytes),
    inputs: await inputsOf(pool, transaction),
    outputs: outputsOf(transaction),
    redeemers: transaction.redeemers.map(({ index, purpose, memory, steps }) => ({
      tx_index: index,
      purpose,
      unit_mem: String(memory),
      unit_steps: String(steps),
    })),
  };
}

/** The kinds of certificates in the ledger's CDDL (conway.cddl, `certificate`). */
const kinds = {
  delegation: [2, 10, 11, 13],
  stake: [0, 1, 7, 8, 11, 12, 13],
  poolUpdate: [3],
  poolRetirement: [4],
  mir: [6],
  /** Certificates that pay or refund a deposit. The amount is in the chain's parameters. */
  withDeposit: [0, 1, 3, 7, 8, 11, 12, 13, 16, 17],
} as const;

function facts(transaction: CardanoTransaction, bytes: number): object {
  const { inputs, outputs, fee, certificates } = transaction;
  const count = (of: readonly number[]): number => certificates.filter((kind) => of.includes(kind)).length;
  return {
    hash: transaction.hash,
    output_amount: sum(outputs),
    fees: String(fee ?? 0),
    deposit: count(kinds.withDeposit) === 0 ? '0' : null,
    size: bytes,
    invalid_before: slot(transaction.validFrom),
    invalid_hereafter: slot(transaction.validUntil),
    utxo_count: inputs.length + outputs.length,
    withdrawal_count: transaction.withdrawals.length,
    mir_cert_count: count(kinds.mir),
    delegation_count: count(kinds.delegation),
    stake_cert_count: count(kinds.stake),
    pool_update_count: count(kinds.poolUpdate),
    pool_retire_count: count(kinds.poolRetirement),
    asset_mint_or_burn_count: transaction.mint.length,
    redeemer_count: transaction.redeemers.length,
    valid_contract: transaction.valid,
  };
}

function slot(number: bigint | null): string | null {
  return number === null ? null : String(number);
}

function sum(values: readonly CardanoValue[]): Amount[] {
  const totals = new Map<string, bigint>();
  for (const value of values)
    for (const [unit, quantity] of parts(value)) totals.set(unit, (totals.get(unit) ?? 0n) + quantity);
  return Array.from(totals, ([unit, quantity]) => ({ unit, quantity: String(quantity) }));
}

function parts({ lovelace, assets }: CardanoValue): (readonly [unit: string, quantity: bigint])[] {
  return [['lovelace', lovelace], ...assets.map(({ policy, name, quantity }) => [policy + name, quantity] as const)];
}

function outputsOf({ outputs, collateralReturn }: CardanoTransaction): object[] {
  const content = (output: CardanoOutput, index: number, collateral: boolean): object => ({
    address: output.address,
    amount: sum([output]),
    output_index: index,
    data_hash: output.datumHash,
    inline_datum: output.inlineDatum,
    collateral,
    reference_script_hash: output.scriptHash,
  });
  const made = outputs.map((output, index) => content(output, index, false));
  return collateralReturn === null ? made : [...made, content(collateralReturn, outputs.length, true)];
}

/** The address of an input is left out, unless the transaction that makes it is in the pool: its bytes do not tell it. */
async function inputsOf(pool: Mempool, transaction: CardanoTransaction): Promise<object[]> {
  const { inputs, collateral, referenceInputs } = transaction;
  const makers = await outputsMade(pool, [...inputs, ...collateral, ...referenceInputs]);
  const content = ({ hash, index }: OutputReference, kind: { collateral: boolean; reference: boolean }): object => ({
    address: makers.get(hash)?.[index]?.address,
    tx_hash: hash,
    output_index: index,
    ...kind,
  });
  return [
    ...inputs.map((input) => content(input, { collateral: false, reference: false })),
    ...collateral.map((input) => content(input, { collateral: true, reference: false })),
    ...referenceInputs.map((input) => content(input, { collateral: false, reference: true })),
  ];
}

/** A transaction may name many others, and each has a payload. */
const maxMakers = 100;

async function outputsMade(
  pool: Mempool,
  references: readonly OutputReference[],
): Promise<ReadonlyMap<string, readonly CardanoOutput[]>> {
  const hashes = [...new Set(references.map(({ hash }) => hash))].slice(0, maxMakers);
  const makers = new Map<string, readonly CardanoOutput[]>();
  if (hashes.length === 0) return makers;
  for (const found of await pool.payloads(hashes)) if (found !== null) makers.set(found.hash, outputsIn(found.payload));
  return makers;
}

function outputsIn(payload: Uint8Array): readonly CardanoOutput[] {
  try {
    const { outputs, collateralReturn } = readTransaction(payload);
    return collateralReturn === null ? outputs : [...outputs, collateralReturn];
  } catch (error) {
    if (error instanceof TransactionError) return [];
    throw error;
  }
}
