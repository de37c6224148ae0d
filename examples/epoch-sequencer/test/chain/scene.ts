import { createHash } from 'node:crypto';
import type { DevChain } from 'evm-chain';
import { agreementDigest, type Certificate } from 'mempool-sequencer';
import type { openRelayPool } from 'mempool-sequencer/evm';
import { abi, type Deployed, type EpochContract } from 'mempool-sequencer/evm';
import type { Hex } from 'viem';
import type { Validator } from './cast.ts';

/** The first account of Hardhat's development chain, which has money. */
export const ownerKey: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/**
 * Lets the time of the chain go on to where the next turn begins, of this validator if it is named. So the whole turn is left, however
 * long the test takes. Returns whose it is.
 */
export async function turnTo(
  chain: DevChain,
  { client, deployed: { address } }: EpochContract,
  epoch: number,
  validator?: string,
): Promise<string> {
  const turnSeconds = await client.readContract({ address, abi, functionName: 'turnSeconds' });
  for (;;) {
    const { timestamp } = await client.getBlock({ blockTag: 'pending' });
    await chain.call('evm_increaseTime', Number(turnSeconds - (timestamp % turnSeconds)));
    const args = [BigInt(epoch)] as const;
    const turn = await client.readContract({ address, abi, functionName: 'turnOf', args, blockTag: 'pending' });
    if (validator === undefined || turn.toLowerCase() === validator) return turn.toLowerCase();
  }
}

/** Epochs in the phase `onchain`, with the certificates that these validators signed. */
export function certified(deployed: Deployed) {
  const certificates = new Map<number, Certificate>();
  const rootOf = (epoch: number): string => createHash('sha256').update(`root of ${epoch}`).digest('hex');
  return {
    rootOf,
    add(epoch: number, signers: readonly Validator[]): void {
      const root = rootOf(epoch);
      const digest = agreementDigest({ domain: deployed.domain, epoch, root });
      const signatures = signers.map(({ address, sign }) => ({ validator: address, signature: sign(digest) }));
      certificates.set(epoch, { epoch, root, signatures });
    },
    end: (epoch: number): void => void certificates.delete(epoch),
    activeEpochs: async (): Promise<number[]> => [...certificates.keys()],
    epoch: async (epoch: number) => (certificates.has(epoch) ? { phase: 'onchain' as const } : null),
    certificate: async (epoch: number): Promise<Certificate | null> => certificates.get(epoch) ?? null,
  };
}

/** A transaction of a block. */
export interface SentTransaction {
  readonly nonce: number;
  readonly hash: string;
  readonly to: string | null;
  readonly data: string;
  /** It did not revert. */
  readonly isRight: boolean;
}

/** What an account has in blocks, in their order. */
export async function minedBy({ client }: EpochContract, address: string): Promise<SentTransaction[]> {
  const all: SentTransaction[] = [];
  const last = Number(await client.getBlockNumber());
  for (let number = 0; number <= last; number += 1) {
    const { transactions } = await client.getBlock({ blockNumber: BigInt(number), includeTransactions: true });
    for (const { from, nonce, hash, to, input } of transactions)
      if (from === address) {
        const { status } = await client.getTransactionReceipt({ hash });
        all.push({ nonce, hash, to, data: input, isRight: status === 'success' });
      }
  }
  return all;
}

/** What a relayer in a process of its own is to do. */
export interface Errand {
  readonly contract: Deployed;
  readonly privateKey: Hex;
  readonly finalityBlocks: number;
  readonly pool: Parameters<typeof openRelayPool>[0];
  readonly certificates: readonly Certificate[];
}
