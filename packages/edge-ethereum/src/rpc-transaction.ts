import type { ChainPoint } from 'mempool-core';
import { checksumAddress, type Hex, numberToHex } from 'viem';
import { type Fields, type SignedTransaction, typeNumbers } from './raw-transaction.ts';

/** A transaction as `eth_getTransactionByHash` answers it (Ethereum Execution APIs). */
export type RpcTransaction = Readonly<Record<string, unknown>>;

/** Returns a transaction in the form of `eth_getTransactionByHash`. @param place its block; `null` for none */
export function rpcTransaction(
  { hash, from, fields }: SignedTransaction,
  place: ChainPoint | null = null,
): RpcTransaction {
  const { gas = 0n, data = '0x', nonce, to, value = 0n } = fields;
  return {
    blockHash: place && `0x${place.hash}`,
    blockNumber: place && numberToHex(place.slot),
    transactionIndex: null,
    hash,
    from,
    to: to ? to.toLowerCase() : null,
    gas: numberToHex(gas),
    ...prices(fields),
    input: data,
    nonce: numberToHex(nonce),
    value: numberToHex(value),
    type: numberToHex(typeNumbers[fields.type]),
    ...ofType(fields),
    ...signature(fields),
  };
}

/** A pending transaction has no price yet, so `gasPrice` is the most that it pays. */
function prices({ gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }: Fields): object {
  if (gasPrice !== undefined) return { gasPrice: numberToHex(gasPrice) };
  return {
    gasPrice: numberToHex(maxFeePerGas),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  };
}

function ofType(fields: Fields): object {
  const { type, chainId = 0, accessList = [] } = fields;
  const chain = { chainId: numberToHex(chainId) };
  switch (type) {
    case 'legacy':
      return chain;
    case 'eip2930':
    case 'eip1559':
      return { ...chain, accessList };
    case 'eip4844': {
      const { maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = fields;
      return { ...chain, accessList, maxFeePerBlobGas: numberToHex(maxFeePerBlobGas), blobVersionedHashes };
    }
    case 'eip7702':
      return { ...chain, accessList, authorizationList: authorizations(fields) };
  }
}

function authorizations({ authorizationList = [] }: Fields): object[] {
  return authorizationList.map(({ address, chainId, nonce, r = '0x0', s = '0x0', yParity = 0 }) => ({
    chainId: numberToHex(chainId),
    address,
    nonce: numberToHex(nonce),
    yParity: numberToHex(yParity),
    r: quantity(r),
    s: quantity(s),
  }));
}

function signature({ type, r, s, v = 0n, yParity = 0 }: Fields): object {
  if (type === 'legacy') return { v: numberToHex(v), r: quantity(r), s: quantity(s) };
  const parity = numberToHex(yParity);
  return { v: parity, yParity: parity, r: quantity(r), s: quantity(s) };
}

/** A number without leading zeros, as Ethereum writes it. */
function quantity(padded: Hex): Hex {
  return numberToHex(BigInt(padded));
}

/** Returns one line about a transaction, in the form of geth's `txpool_inspect`. */
export function inspected({ fields }: SignedTransaction): string {
  const { to, value = 0n, gas = 0n } = fields;
  const price = fields.gasPrice ?? fields.maxFeePerGas ?? 0n;
  const target = to ? checksumAddress(to) : 'contract creation';
  return `${target}: ${value} wei + ${gas} gas × ${price} wei`;
}
