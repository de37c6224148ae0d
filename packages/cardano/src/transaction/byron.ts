/** Transactions of the Byron era. Source: `byron.cddl` of cardano-ledger. */
import { arrayItems, readUnsigned } from '../bytes/cbor-walker.ts';
import { digestBytes } from '../bytes/digest.ts';
import { readBigUnsigned } from '../bytes/integers.ts';
import { writtenAddress } from './address.ts';
import type { CardanoTransaction, OutputReference } from './cardano-transaction.ts';
import { embeddedItem, hexAt, pairAt } from './items.ts';
import type { CardanoOutput } from './output.ts';
import { refuse } from './transaction-error.ts';

const unspentOutput = 0;

/** The body `[inputs, outputs, attributes]` at `offset`. @throws CborError, TransactionError */
export function byronTransaction(bytes: Uint8Array, offset: number, hash: string): CardanoTransaction {
  const [inputs, outputs] = arrayItems(bytes, offset);
  if (!inputs || !outputs) refuse(offset, 'expected inputs and outputs');
  return {
    hash,
    valid: true,
    inputs: Array.from(arrayItems(bytes, inputs.start), ({ start }) => inputAt(bytes, start)),
    referenceInputs: [],
    collateral: [],
    outputs: Array.from(arrayItems(bytes, outputs.start), ({ start }) => outputAt(bytes, start)),
    collateralReturn: null,
    totalCollateral: null,
    fee: null,
    validFrom: null,
    validUntil: null,
    mint: [],
    withdrawals: [],
    certificates: [],
    redeemers: [],
  };
}

/** `[0, CBOR of [hash, index]]`. */
function inputAt(bytes: Uint8Array, offset: number): OutputReference {
  const [kind, embedded] = pairAt(bytes, offset, 'an input');
  const number = readUnsigned(bytes, kind.start);
  if (number !== unspentOutput) refuse(kind.start, `an input of the unknown kind ${number}`);
  const [hash, index] = pairAt(bytes, embeddedItem(bytes, embedded.start).start, 'a hash and an index');
  return { hash: hexAt(bytes, hash.start, digestBytes), index: readUnsigned(bytes, index.start) };
}

/** `[[CBOR of an address, checksum], lovelace]`. The address is written with its checksum. */
function outputAt(bytes: Uint8Array, offset: number): CardanoOutput {
  const [address, lovelace] = pairAt(bytes, offset, 'an output of address and value');
  pairAt(bytes, address.start, 'an address and its checksum');
  return {
    address: writtenAddress(address.bytes),
    lovelace: readBigUnsigned(bytes, lovelace.start),
    assets: [],
    datumHash: null,
    inlineDatum: null,
    scriptHash: null,
  };
}
