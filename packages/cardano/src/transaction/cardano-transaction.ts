import type { CardanoOutput } from './output.ts';
import type { CardanoRedeemer } from './redeemer.ts';
import type { CardanoAsset } from './value.ts';

/** An output of an earlier transaction. */
export interface OutputReference {
  /** The transaction's hash, 64 hex digits. */
  readonly hash: string;
  readonly index: number;
}

/** A reward that is taken out. */
export interface CardanoWithdrawal {
  /** Bech32. Hex if the address is of no known kind. */
  readonly address: string;
  readonly lovelace: bigint;
}

/** A decoded transaction. Amounts are in lovelace. */
export interface CardanoTransaction {
  /** As `transactionHash` gives it. */
  readonly hash: string;
  /** False: a script failed. Then the collateral is spent, not the inputs, and the outputs are not made. */
  readonly valid: boolean;
  readonly inputs: readonly OutputReference[];
  readonly referenceInputs: readonly OutputReference[];
  readonly collateral: readonly OutputReference[];
  readonly outputs: readonly CardanoOutput[];
  /** The rest of the collateral if a script failed. */
  readonly collateralReturn: CardanoOutput | null;
  readonly totalCollateral: bigint | null;
  /** `null` in the Byron era, whose fee is the difference of inputs and outputs. */
  readonly fee: bigint | null;
  /** The first slot in which the transaction is valid. */
  readonly validFrom: bigint | null;
  /** The first slot in which the transaction is no longer valid; in the Shelley era the last in which it is. */
  readonly validUntil: bigint | null;
  readonly mint: readonly CardanoAsset[];
  readonly withdrawals: readonly CardanoWithdrawal[];
  /** The number of each certificate's kind in the ledger's CDDL, such as 2 for a delegation of stake. */
  readonly certificates: readonly number[];
  readonly redeemers: readonly CardanoRedeemer[];
}
