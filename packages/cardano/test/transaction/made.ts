import { array, map, nullItem, unsigned } from 'cardano-chains/cbor';

export const yes: Uint8Array = Uint8Array.of(0xf5);
export const no: Uint8Array = Uint8Array.of(0xf4);

export interface Envelope {
  readonly witnesses?: Uint8Array;
  readonly valid?: Uint8Array;
  /** 3: without the flag. */
  readonly parts?: 3 | 4;
}

const least = { 0: array([]), 1: array([]), 2: unsigned(170_000) };

/** A transaction with these fields in its body, beside the ones that it must have. */
export function transactionOf(fields: Readonly<Record<number, Uint8Array>>, envelope: Envelope = {}): Uint8Array {
  const { witnesses = map([]), valid = yes, parts = 4 } = envelope;
  const entries = Object.entries({ ...least, ...fields });
  const body = map(entries.map(([key, value]) => [unsigned(Number(key)), value] as const));
  return array(parts === 4 ? [body, witnesses, valid, nullItem] : [body, witnesses, nullItem]);
}

/** −1 … −24. */
export function negative(value: number): Uint8Array {
  return Uint8Array.of(0x20 | (value - 1));
}
