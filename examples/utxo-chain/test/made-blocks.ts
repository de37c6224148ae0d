import { createHash } from 'node:crypto';
import type { ChainBlock } from '../src/file-replay.ts';

export type Cbor = number | boolean | null | Uint8Array | readonly Cbor[] | ReadonlyMap<number, Cbor>;

/** What a test needs of CBOR: short arrays and maps, numbers below 2^32. */
export function encode(value: Cbor): Uint8Array {
  if (value === null) return Uint8Array.of(0xf6);
  if (typeof value === 'boolean') return Uint8Array.of(value ? 0xf5 : 0xf4);
  if (typeof value === 'number') return head(0, value);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...Array.from(value).flat().map(encode)]);
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(encode)]);
}

function head(major: number, argument: number): Uint8Array {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(argument);
  return Buffer.concat([Uint8Array.of((major << 5) | 26), four]);
}

export interface MadeTransaction {
  readonly hash: string;
  readonly payload: Uint8Array;
  readonly payloadType: number;
}

/** `[address, lovelace]`. */
export const output: Cbor = [Uint8Array.of(0x61, 1, 2, 3), 1_000_000];

/** A transaction that spends these outputs, `hash#index`, and makes two. */
export function made(name: string, inputs: readonly string[], fee = 200): MadeTransaction {
  const body = new Map<number, Cbor>([
    [0, inputs.map(input)],
    [1, [output, output]],
    [2, fee],
  ]);
  return { hash: digest(name), payload: encode([body, new Map(), true, null]), payloadType: 6 };
}

export function input(outpoint: string): Cbor {
  const [hash = '', index] = outpoint.split('#');
  return [Buffer.from(hash, 'hex'), Number(index)];
}

export function digest(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

export function blocksOf(...blocks: readonly (readonly MadeTransaction[])[]): ChainBlock[] {
  return blocks.map((transactions, i) => ({
    era: 6,
    number: i,
    slot: 20 * i,
    hash: digest(`block ${i}`),
    parent: i === 0 ? null : digest(`block ${i - 1}`),
    transactions,
  }));
}
