import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import { majors, readHead } from '../bytes/cbor-head.ts';
import { fewItems, readBytes, readUnsigned } from '../bytes/cbor-walker.ts';
import { digestBytes } from '../bytes/digest.ts';
import { writtenAddress } from './address.ts';
import { fieldOr, fieldsAt } from './fields.ts';
import { embeddedBytes, embeddedItem, hexAt, pairAt } from './items.ts';
import { refuse } from './transaction-error.ts';
import { type CardanoValue, valueAt } from './value.ts';

/** An output of a transaction. */
export interface CardanoOutput extends CardanoValue {
  /** Bech32, or base58 for an address of the Byron era. Hex if the address is of no known kind. */
  readonly address: string;
  /** Hash of a datum that is not here, 64 hex digits. */
  readonly datumHash: string | null;
  /** CBOR of the datum that the output holds, in hex. */
  readonly inlineDatum: string | null;
  /** Hash of the script that the output holds for reference, 56 hex digits. */
  readonly scriptHash: string | null;
}

const keys = { address: 0, value: 1, datum: 2, script: 3 } as const;
const datumKinds = { hash: 0, inline: 1 } as const;
const scriptHashBytes = 28;
const nativeScript = 0;

/** Both forms: `[address, value, datum hash?]`, and the map of Babbage. @throws CborError, TransactionError */
export function outputAt(bytes: Uint8Array, offset: number): CardanoOutput {
  return readHead(bytes, offset).major === majors.map ? mapOutput(bytes, offset) : listOutput(bytes, offset);
}

function listOutput(bytes: Uint8Array, offset: number): CardanoOutput {
  const [address, value, datumHash] = fewItems(bytes, offset, 3);
  if (!address || !value) refuse(offset, 'expected an output of address and value');
  return {
    address: addressAt(bytes, address.start),
    ...valueAt(bytes, value.start),
    datumHash: datumHash ? hexAt(bytes, datumHash.start, digestBytes) : null,
    inlineDatum: null,
    scriptHash: null,
  };
}

function mapOutput(bytes: Uint8Array, offset: number): CardanoOutput {
  const fields = fieldsAt(bytes, offset);
  const address = fields.get(keys.address);
  const value = fields.get(keys.value);
  if (address === undefined || value === undefined) refuse(offset, 'expected an output with address and value');
  return {
    address: addressAt(bytes, address),
    ...valueAt(bytes, value),
    ...fieldOr(fields, keys.datum, (at) => datumAt(bytes, at), { datumHash: null, inlineDatum: null }),
    scriptHash: fieldOr(fields, keys.script, (at) => scriptHashAt(bytes, at), null),
  };
}

function addressAt(bytes: Uint8Array, offset: number): string {
  return writtenAddress(readBytes(bytes, offset));
}

function datumAt(bytes: Uint8Array, offset: number): Pick<CardanoOutput, 'datumHash' | 'inlineDatum'> {
  const [kind, datum] = pairAt(bytes, offset, 'a kind and a datum');
  const number = readUnsigned(bytes, kind.start);
  if (number === datumKinds.hash) return { datumHash: hexAt(bytes, datum.start, digestBytes), inlineDatum: null };
  if (number !== datumKinds.inline) refuse(kind.start, `a datum of the unknown kind ${number}`);
  return { datumHash: null, inlineDatum: bytesToHex(embeddedBytes(bytes, datum.start)) };
}

/** BLAKE2b-224 of the language's number and the script: a Plutus script's content, a native script's CBOR. */
function scriptHashAt(bytes: Uint8Array, offset: number): string {
  const { start } = embeddedItem(bytes, offset);
  const [language, script] = pairAt(bytes, start, 'a language and a script');
  const number = readUnsigned(bytes, language.start);
  if (number > 0xff) refuse(language.start, `unknown language ${number}`);
  const content = number === nativeScript ? script.bytes : readBytes(bytes, script.start);
  return bytesToHex(blake2b(concatBytes(Uint8Array.of(number), content), { dkLen: scriptHashBytes }));
}
