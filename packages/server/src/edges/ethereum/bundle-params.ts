import { isTable, maxBundle } from 'mempool-core/backend';
import { bytesParam, type Params, textParam } from './params.ts';
import { placed, refused, wrongParams } from './rpc-error.ts';

/** The parameters of `eth_sendBundle`. */
export interface GivenBundle {
  /** The signed transactions, in their order. */
  readonly payloads: readonly Uint8Array[];
  /** The block that it is for; `null`: any. */
  readonly blockNumber: number | null;
  /** When it leaves, in milliseconds since 1970; `null`: at no time of its own. */
  readonly expiresAt: number | null;
}

/** Fields of other relays that ask for nothing if their list is empty. */
const lists = ['revertingTxHashes', 'droppingTxHashes'];
const known = ['txs', 'blockNumber', 'minTimestamp', 'maxTimestamp', ...lists];

/**
 * Reads what the pool can keep to. A field that asks for more is refused, because the bundle would be used otherwise than meant.
 * @throws `RpcError` −32602 for a wrong value; −32000 for what is not supported
 */
export function bundleParam(params: Params, nowMs: number): GivenBundle {
  const [given] = params;
  if (!isTable(given)) throw wrongParams('invalid argument 0: must be an object with txs');
  for (const [name, value] of Object.entries(given))
    if (!known.includes(name) || (lists.includes(name) && !isEmpty(value)))
      throw refused(`${name.slice(0, 64)} is not supported in a bundle`);
  const { txs } = given;
  if (!Array.isArray(txs) || txs.length < 1 || txs.length > maxBundle)
    throw wrongParams(`txs must be a list of 1–${maxBundle} raw transactions`);
  const minTimestamp = timestamp(given, 'minTimestamp');
  if (minTimestamp !== null && minTimestamp * 1_000 > nowMs)
    throw refused('minTimestamp is not supported if it lies ahead: the pool holds nothing back');
  const maxTimestamp = timestamp(given, 'maxTimestamp');
  const expiresAt = maxTimestamp === null ? null : maxTimestamp * 1_000;
  if (expiresAt !== null && expiresAt < nowMs) throw refused('maxTimestamp is over');
  return { payloads: txs.map((_, i) => payloadAt(txs, i)), blockNumber: blockNumber(given.blockNumber), expiresAt };
}

function payloadAt(txs: readonly unknown[], i: number): Uint8Array {
  try {
    return bytesParam(txs, i);
  } catch (error) {
    throw placed(`txs[${i}]`, error);
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Seconds since 1970. 0 and `null` are as if it were left out. */
function timestamp(given: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = given[name] ?? 0;
  if (value === 0) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value * 1_000) || value < 0)
    throw wrongParams(`${name} must be a whole number of seconds`);
  return value;
}

function blockNumber(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const text = textParam([value], 0);
  const number = Number(text);
  if (!/^0x[0-9a-f]{1,14}$/i.test(text) || !Number.isSafeInteger(number))
    throw wrongParams('blockNumber must be a number as hex');
  return number;
}
