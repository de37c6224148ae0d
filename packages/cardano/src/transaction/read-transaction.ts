import { arrayItems, mapEntries, readBytes, readUnsigned } from '../bytes/cbor-walker.ts';
import { digestBytes, hexDigest } from '../bytes/digest.ts';
import { readBigUnsigned } from '../bytes/integers.ts';
import { writtenAddress } from './address.ts';
import { byronTransaction } from './byron.ts';
import type { CardanoTransaction, CardanoWithdrawal, OutputReference } from './cardano-transaction.ts';
import { bodyKeys, readEnvelope, type ShelleyEnvelope } from './envelope.ts';
import { type Fields, fieldOr, fieldsAt } from './fields.ts';
import { hexAt, listItems, pairAt } from './items.ts';
import { outputAt } from './output.ts';
import { type CardanoRedeemer, redeemersAt } from './redeemer.ts';
import { readOrRefuse, refuse } from './transaction-error.ts';
import { assetsAt } from './value.ts';

/** The key of the redeemers in a witness set. */
const redeemers = 5;

/**
 * Reads a transaction of any era from Byron to Conway, as it is submitted. Signatures, sums and scripts are not checked. Fields of a
 * body that it does not know are passed over.
 * @throws TransactionError if the bytes are not exactly one transaction, or a field that is read has another form.
 */
export function readTransaction(cbor: Uint8Array): CardanoTransaction {
  return readOrRefuse(() => {
    const envelope = readEnvelope(cbor);
    const hash = hexDigest(envelope.body.bytes);
    if (envelope.form === 'byron') return byronTransaction(cbor, envelope.body.start, hash);
    return shelleyTransaction(cbor, envelope, hash);
  });
}

function shelleyTransaction(bytes: Uint8Array, envelope: ShelleyEnvelope, hash: string): CardanoTransaction {
  const { fields, valid, witnesses } = envelope;
  const amount = (offset: number): bigint => readBigUnsigned(bytes, offset);
  const references = (offset: number): OutputReference[] => referencesAt(bytes, offset);
  return {
    hash,
    valid,
    inputs: fieldOr(fields, bodyKeys.inputs, references, []),
    referenceInputs: fieldOr(fields, bodyKeys.referenceInputs, references, []),
    collateral: fieldOr(fields, bodyKeys.collateral, references, []),
    outputs: fieldOr(
      fields,
      bodyKeys.outputs,
      (offset) => Array.from(arrayItems(bytes, offset), ({ start }) => outputAt(bytes, start)),
      [],
    ),
    collateralReturn: fieldOr(fields, bodyKeys.collateralReturn, (offset) => outputAt(bytes, offset), null),
    totalCollateral: fieldOr(fields, bodyKeys.totalCollateral, amount, null),
    fee: fieldOr(fields, bodyKeys.fee, amount, null),
    validFrom: fieldOr(fields, bodyKeys.validFrom, amount, null),
    validUntil: fieldOr(fields, bodyKeys.validUntil, amount, null),
    ...actionsOf(bytes, fields),
    redeemers: redeemersOf(bytes, witnesses.start),
  };
}

function actionsOf(
  bytes: Uint8Array,
  fields: Fields,
): Pick<CardanoTransaction, 'mint' | 'withdrawals' | 'certificates'> {
  return {
    mint: fieldOr(fields, bodyKeys.mint, (offset) => assetsAt(bytes, offset), []),
    withdrawals: fieldOr(fields, bodyKeys.withdrawals, (offset) => withdrawalsAt(bytes, offset), []),
    certificates: fieldOr(fields, bodyKeys.certificates, (offset) => certificatesAt(bytes, offset), []),
  };
}

function referencesAt(bytes: Uint8Array, offset: number): OutputReference[] {
  return Array.from(listItems(bytes, offset), ({ start }) => {
    const [hash, index] = pairAt(bytes, start, 'an input of hash and index');
    return { hash: hexAt(bytes, hash.start, digestBytes), index: readUnsigned(bytes, index.start) };
  });
}

function withdrawalsAt(bytes: Uint8Array, offset: number): CardanoWithdrawal[] {
  return Array.from(mapEntries(bytes, offset), ([address, lovelace]) => ({
    address: writtenAddress(readBytes(bytes, address.start)),
    lovelace: readBigUnsigned(bytes, lovelace.start),
  }));
}

function certificatesAt(bytes: Uint8Array, offset: number): number[] {
  return Array.from(listItems(bytes, offset), ({ start }) => {
    const [kind] = arrayItems(bytes, start);
    return kind === undefined ? refuse(start, 'expected a certificate') : readUnsigned(bytes, kind.start);
  });
}

function redeemersOf(bytes: Uint8Array, witnesses: number): readonly CardanoRedeemer[] {
  return fieldOr(fieldsAt(bytes, witnesses), redeemers, (offset) => redeemersAt(bytes, offset), []);
}
