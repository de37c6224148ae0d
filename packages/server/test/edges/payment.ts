import { array, byteString, map, nullItem, unsigned } from 'cardano-chains/cbor';
import type { OutputReference } from 'mempool-cardano';

/** What a made-up Cardano transaction has. */
export interface Payment {
  readonly inputs: readonly OutputReference[];
  /** In lovelace, one for each output. */
  readonly amounts?: readonly number[];
  /** The raw address of all outputs. */
  readonly address?: Uint8Array;
  readonly fee?: number;
  readonly collateral?: readonly OutputReference[];
  readonly valid?: boolean;
}

/** The address of a key on a test network, without a stake key. */
export function keyAddress(number: number): Uint8Array {
  return Uint8Array.of(0x60, ...new Uint8Array(28).fill(number));
}

/** The bytes of a transaction: body, no witnesses, validity, no auxiliary data. */
export function payment(given: Payment): Uint8Array {
  const {
    inputs,
    amounts = [5_000_000],
    address = keyAddress(1),
    fee = 170_000,
    collateral = [],
    valid = true,
  } = given;
  const body = map([
    [unsigned(0), array(inputs.map(inputItem))],
    [unsigned(1), array(amounts.map((lovelace) => array([byteString(address), unsigned(lovelace)])))],
    [unsigned(2), unsigned(fee)],
    ...(collateral.length === 0 ? [] : failing(collateral)),
  ]);
  return array([body, map([]), Uint8Array.of(valid ? 0xf5 : 0xf4), nullItem]);
}

/** What a failing script costs: all of the collateral. */
function failing(collateral: readonly OutputReference[]): [Uint8Array, Uint8Array][] {
  return [
    [unsigned(13), array(collateral.map(inputItem))],
    [unsigned(17), unsigned(300_000)],
  ];
}

function inputItem({ hash, index }: OutputReference): Uint8Array {
  return array([byteString(Buffer.from(hash, 'hex')), unsigned(index)]);
}
