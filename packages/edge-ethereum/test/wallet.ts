import { type Hex, type TransactionSerializable, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** The chain of these tests. */
export const chainId = 31_337;

/** An account of these tests. The key is nobody's secret. */
export function accountOf(number: number): ReturnType<typeof privateKeyToAccount> {
  return privateKeyToAccount(toHex(number, { size: 32 }));
}

export const alice = accountOf(1_001);
export const bob = accountOf(1_002);

/** What a test leaves out of a transaction. */
const plain = {
  type: 'eip1559',
  chainId,
  gas: 21_000n,
  maxFeePerGas: 3_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  to: bob.address,
  value: 1n,
} as const;

/** A transfer, signed by an account. */
export function signed(fields: object, by: typeof alice = alice): Promise<Hex> {
  return by.signTransaction({ ...plain, ...fields } as TransactionSerializable);
}

/** The same of an older type, with a gas price. */
export function signedLegacy(fields: object, by: typeof alice = alice): Promise<Hex> {
  const { gas, to, value } = plain;
  const legacy = { type: 'legacy', chainId, gas, to, value, gasPrice: 2_000_000_000n, ...fields };
  return by.signTransaction(legacy as TransactionSerializable);
}
