import { majors, readHead } from '../bytes/cbor-head.ts';
import { mapEntries } from '../bytes/cbor-walker.ts';
import { readBigInteger, readBigUnsigned } from '../bytes/integers.ts';
import { hexAt, pairAt } from './items.ts';

/** An amount of a native token. */
export interface CardanoAsset {
  /** Hash of the policy, 56 hex digits. */
  readonly policy: string;
  /** The name's bytes in hex; may be empty. */
  readonly name: string;
  /** In a mint: negative if burnt. */
  readonly quantity: bigint;
}

/** The value of an output. */
export interface CardanoValue {
  readonly lovelace: bigint;
  readonly assets: readonly CardanoAsset[];
}

const policyBytes = 28;

/** `lovelace`, or `[lovelace, assets]`. @throws CborError, TransactionError */
export function valueAt(bytes: Uint8Array, offset: number): CardanoValue {
  if (readHead(bytes, offset).major !== majors.array) return { lovelace: readBigUnsigned(bytes, offset), assets: [] };
  const [lovelace, assets] = pairAt(bytes, offset, 'lovelace and assets');
  return { lovelace: readBigUnsigned(bytes, lovelace.start), assets: assetsAt(bytes, assets.start) };
}

/** A map from policies to maps from names to quantities. @throws CborError, TransactionError */
export function assetsAt(bytes: Uint8Array, offset: number): readonly CardanoAsset[] {
  const assets: CardanoAsset[] = [];
  for (const [policyItem, names] of mapEntries(bytes, offset)) {
    const policy = hexAt(bytes, policyItem.start, policyBytes);
    for (const [name, quantity] of mapEntries(bytes, names.start)) {
      assets.push({ policy, name: hexAt(bytes, name.start, null), quantity: readBigInteger(bytes, quantity.start) });
    }
  }
  return assets;
}
