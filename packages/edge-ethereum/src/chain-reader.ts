import { isTable } from 'mempool-core/backend';
import { RpcError, rpcCodes } from './rpc-error.ts';
import type { ChainCalls } from './upstream.ts';

/** A block of the upstream: its answer, and the fields read from it. */
export interface ReadBlock {
  readonly number: number;
  /** 64 hex digits, without `0x`. */
  readonly hash: string;
  readonly parent: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns a block by its number or `latest`; `null` if the upstream has none. @throws `RpcError` */
export async function blockAt(
  upstream: ChainCalls,
  place: number | 'latest',
  isFull = false,
): Promise<ReadBlock | null> {
  const tag = place === 'latest' ? place : `0x${place.toString(16)}`;
  return readBlock(await upstream.call('eth_getBlockByNumber', [tag, isFull]));
}

/** Returns a block by its hash; `null` if the upstream has none. @throws `RpcError` */
export async function blockOf(upstream: ChainCalls, hash: string): Promise<ReadBlock | null> {
  return readBlock(await upstream.call('eth_getBlockByHash', [`0x${hash}`, false]));
}

function readBlock(fields: unknown): ReadBlock | null {
  if (fields === null) return null;
  const { number, hash, parentHash } = isTable(fields) ? fields : {};
  if (!isTable(fields) || !isQuantity(number) || !isHash(hash) || !isHash(parentHash))
    throw new RpcError(rpcCodes.unavailable, 'the upstream is not available: its answer is no block');
  return { number: Number(number), hash: bare(hash), parent: bare(parentHash), fields };
}

/** True for a number in the form of JSON-RPC that a double can represent exactly. */
export function isQuantity(given: unknown): given is string {
  return typeof given === 'string' && /^0x[0-9a-f]{1,13}$/i.test(given);
}

export function isHash(given: unknown): given is string {
  return typeof given === 'string' && /^0x[0-9a-f]{64}$/i.test(given);
}

/** Returns a hash in the form of the pool: without `0x`. */
export function bare(hash: string): string {
  return hash.slice(2).toLowerCase();
}
