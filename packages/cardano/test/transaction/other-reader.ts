/** What Emurgo's Cardano serialization library reads of a transaction, in the form of this package. */
import {
  type Address,
  ByronAddress,
  FixedTransaction,
  type MultiAsset,
  type ScriptRef,
  Transaction,
  type TransactionBody,
  type TransactionInputs,
  type TransactionOutput,
} from '@emurgo/cardano-serialization-lib-nodejs';
import type { CardanoAsset, CardanoOutput, CardanoTransaction, OutputReference } from 'mempool-cardano';

type Compared = Omit<CardanoTransaction, 'withdrawals' | 'mint'>;

const purposes = ['spend', 'mint', 'cert', 'reward', 'vote', 'propose'] as const;

/** Without mint and withdrawals: that library sorts them. */
export function readByOther(cbor: Uint8Array): Compared {
  const transaction = Transaction.from_bytes(cbor);
  const body = transaction.body();
  const change = body.collateral_return();
  return {
    hash: FixedTransaction.from_bytes(cbor).transaction_hash().to_hex(),
    valid: transaction.is_valid(),
    inputs: references(body.inputs()),
    referenceInputs: references(body.reference_inputs()),
    collateral: references(body.collateral()),
    outputs: times(body.outputs().len(), (i) => output(body.outputs().get(i))),
    collateralReturn: change === undefined ? null : output(change),
    ...amounts(body),
    certificates: times(body.certs()?.len() ?? 0, (i) => body.certs()?.get(i).kind() ?? -1),
    redeemers: redeemers(transaction),
  };
}

function amounts(body: TransactionBody): Pick<Compared, 'fee' | 'totalCollateral' | 'validFrom' | 'validUntil'> {
  return {
    fee: bigOrNull(body.fee()),
    totalCollateral: bigOrNull(body.total_collateral()),
    validFrom: bigOrNull(body.validity_start_interval_bignum()),
    validUntil: bigOrNull(body.ttl_bignum()),
  };
}

function redeemers(transaction: Transaction): Compared['redeemers'] {
  const all = transaction.witness_set().redeemers();
  return times(all?.len() ?? 0, (i) => {
    const redeemer = all?.get(i);
    const units = redeemer?.ex_units();
    return {
      purpose: purposes[redeemer?.tag().kind() ?? 0] ?? 'spend',
      index: Number(redeemer?.index().to_str()),
      memory: BigInt(units?.mem().to_str() ?? -1),
      steps: BigInt(units?.steps().to_str() ?? -1),
    };
  });
}

function references(inputs: TransactionInputs | undefined): OutputReference[] {
  return times(inputs?.len() ?? 0, (i) => {
    const input = inputs?.get(i);
    return { hash: input?.transaction_id().to_hex() ?? '', index: input?.index() ?? -1 };
  });
}

function output(made: TransactionOutput): CardanoOutput {
  const script = made.script_ref();
  return {
    address: written(made.address()),
    lovelace: BigInt(made.amount().coin().to_str()),
    assets: assets(made.amount().multiasset()),
    datumHash: made.data_hash()?.to_hex() ?? null,
    inlineDatum: made.plutus_data()?.to_hex() ?? null,
    scriptHash: script === undefined ? null : scriptHash(script),
  };
}

function scriptHash(script: ScriptRef): string | null {
  const hash = script.native_script()?.hash() ?? script.plutus_script()?.hash();
  return hash?.to_hex() ?? null;
}

function written(address: Address): string {
  return ByronAddress.from_address(address)?.to_base58() ?? address.to_bech32();
}

/** In the order of that library, by policy and name. */
function assets(all: MultiAsset | undefined): CardanoAsset[] {
  const policies = all?.keys();
  return times(policies?.len() ?? 0, (i) => policies?.get(i)).flatMap((policy) => {
    const held = policy && all?.get(policy);
    const names = held?.keys();
    return times(names?.len() ?? 0, (i) => names?.get(i)).map((name) => ({
      policy: policy?.to_hex() ?? '',
      name: Buffer.from(name?.name() ?? []).toString('hex'),
      quantity: BigInt((name && held?.get(name)?.to_str()) ?? -1),
    }));
  });
}

function bigOrNull(value: { to_str(): string } | undefined): bigint | null {
  return value === undefined ? null : BigInt(value.to_str());
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
