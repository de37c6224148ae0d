import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { devChainId } from 'evm-chain';
import { scratchFolder } from 'mempool-testkit/vitest';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { onTestFinished } from 'vitest';
import { Relayer } from './relayer.ts';

export type Sender = ReturnType<typeof privateKeyToAccount>;

const senderOf = (number: number): Sender => privateKeyToAccount(`0x${number.toString(16).padStart(64, 'e')}`);
export const senders = [senderOf(1), senderOf(2), senderOf(3), senderOf(4)] as const;

/** A signed transaction that pays its sender nothing. */
export function signed(sender: Sender, nonce: number, chainId: number = devChainId): Promise<Hex> {
  return sender.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: sender.address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 9n,
  });
}

/** A relayer for this node, for this test alone. */
export async function startRelayer(url: string, finalityBlocks: number): Promise<Relayer> {
  const folder = scratchFolder();
  const CONFIG = join(folder, 'pool.json');
  const own = { finalize_threshold: finalityBlocks, watcher_lock_ttl: 1 };
  writeFileSync(CONFIG, JSON.stringify({ backend: 'sqlite', path: join(folder, 'pool.sqlite'), ...own }));
  const relayer = new Relayer({ CONFIG, NODE_URL: url });
  onTestFinished(async () => void (await relayer.kill()));
  await relayer.start();
  return relayer;
}
