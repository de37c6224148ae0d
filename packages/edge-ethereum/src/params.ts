import type { Address, Hex } from 'viem';
import { wrongParams } from './rpc-error.ts';

/** The parameters of a call, by place. */
export type Params = readonly unknown[];

/** Bytes as hex. @throws `RpcError` −32602 */
export function bytesParam(params: Params, place: number): Uint8Array {
  const given = textParam(params, place);
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(given))
    throw wrongParams(`invalid argument ${place}: not 0x and pairs of hex digits`);
  return Buffer.from(given.slice(2), 'hex');
}

/** A hash, in lower case. @throws `RpcError` −32602 */
export function hashParam(params: Params, place: number): Hex {
  return fixedHex(params, place, 64);
}

/** An address, in lower case. @throws `RpcError` −32602 */
export function addressParam(params: Params, place: number): Address {
  return fixedHex(params, place, 40);
}

/** The tag, number or hash of a block; `latest` if it is left out. @throws `RpcError` −32602 */
export function blockParam(params: Params, place: number): string {
  const given = params[place];
  if (given === undefined || given === null) return 'latest';
  if (typeof given === 'object') return 'a block';
  return textParam(params, place);
}

/** @throws `RpcError` −32602 */
export function textParam(params: Params, place: number): string {
  const given = params[place];
  if (given === undefined) throw wrongParams(`missing value for required argument ${place}`);
  if (typeof given !== 'string') throw wrongParams(`invalid argument ${place}: must be a string`);
  return given;
}

function fixedHex(params: Params, place: number, digits: number): Hex {
  const given = textParam(params, place).toLowerCase();
  if (given.length !== digits + 2 || !/^0x[0-9a-f]+$/.test(given))
    throw wrongParams(`invalid argument ${place}: must be 0x and ${digits} hex digits`);
  return given as Hex;
}
