/** Made-up transactions with the traits of real ones that trip a decoder: byte-string keys, chunked strings, open-ended maps. */

import {
  array,
  byteString,
  chunkedByteString,
  chunkedText,
  indefiniteArray,
  indefiniteMap,
  map,
  nullItem,
  tagged,
  text,
  unsigned,
  wideUnsigned,
} from './cbor-writer.ts';
import { digest } from './digest.ts';
import type { Random } from './random.ts';

export interface SyntheticTransaction {
  readonly body: Uint8Array;
  readonly witnesses: Uint8Array;
  readonly auxiliary: Uint8Array | null;
  readonly valid: boolean;
}

type Entry = readonly [key: Uint8Array, value: Uint8Array];

/** Plutus writes longer byte strings in chunks of this size. */
const chunkBytes = 64;
const addressBytes = 57;
const policyBytes = 28;
const keyBytes = 32;
const signatureBytes = 64;
/** With its framing the payload stays between 300 and 2,000 bytes. */
const leastBytes = 320;
const mostBytes = 1_900;

/** The same random numbers give the same bytes. */
export function syntheticTransaction(random: Random): SyntheticTransaction {
  const sizeBytes = random.between(leastBytes, mostBytes);
  const auxiliary = random.chance(20) ? makeAuxiliary(random) : null;
  const body = makeBody(random, auxiliary);
  const keys = array([array([random.bytes(keyBytes), random.bytes(signatureBytes)].map(byteString))]);
  const missing = sizeBytes - body.length - keys.length - (auxiliary ?? nullItem).length;
  const datum = chunkedByteString(random.bytes(Math.max(0, missing)), chunkBytes);
  const witnesses = eitherMap(random, [
    [unsigned(0), keys],
    [unsigned(4), eitherArray(random, [datum])],
  ]);
  return { body, witnesses, auxiliary, valid: !random.chance(5) };
}

/** An array of the items, of definite or indefinite length. */
export function eitherArray(random: Random, items: readonly Uint8Array[]): Uint8Array {
  return random.chance(30) ? indefiniteArray(items) : array(items);
}

/** A map of the entries, of definite or indefinite length. */
export function eitherMap(random: Random, entries: readonly Entry[]): Uint8Array {
  return random.chance(30) ? indefiniteMap(entries) : map(entries);
}

function makeBody(random: Random, auxiliary: Uint8Array | null): Uint8Array {
  const inputs = repeat(random.between(1, 2), () => makeInput(random));
  const outputs = repeat(random.between(1, 2), () => makeOutput(random));
  const entries: Entry[] = [
    [unsigned(0), eitherArray(random, inputs)],
    [unsigned(1), eitherArray(random, outputs)],
    [unsigned(2), unsigned(random.between(150_000, 900_000))],
    [unsigned(3), wideUnsigned(random.next())],
  ];
  if (auxiliary !== null) entries.push([unsigned(7), byteString(digest(auxiliary))]);
  return eitherMap(random, entries);
}

function makeInput(random: Random): Uint8Array {
  return array([byteString(random.bytes(keyBytes)), unsigned(random.between(0, 300))]);
}

function makeOutput(random: Random): Uint8Array {
  const address = byteString(random.bytes(addressBytes));
  const coin = unsigned(random.between(1_000_000, 45_000_000_000_000));
  if (random.chance(50)) return array([address, coin]);
  const datum = array([unsigned(1), tagged(24, byteString(random.bytes(8)))]);
  return eitherMap(random, [
    [unsigned(0), address],
    [unsigned(1), array([coin, makeAssets(random)])],
    [unsigned(2), datum],
  ]);
}

function makeAssets(random: Random): Uint8Array {
  const name = byteString(random.bytes(random.between(0, 12)));
  const amounts = eitherMap(random, [[name, unsigned(random.next())]]);
  return eitherMap(random, [[byteString(random.bytes(policyBytes)), amounts]]);
}

function makeAuxiliary(random: Random): Uint8Array {
  const words = ['a payment', ' for ', 'tea and cake'];
  const message = random.chance(50) ? chunkedText(words) : text(words.join(''));
  return map([[unsigned(674), eitherMap(random, [[text('msg'), array([message])]])]]);
}

function repeat(count: number, make: () => Uint8Array): Uint8Array[] {
  return Array.from({ length: count }, make);
}
