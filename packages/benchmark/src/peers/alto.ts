import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Transaction } from 'mempool-core';

// Alto is GPL-3.0: it is loaded from where it is installed, and nothing of it is here.

/** What Alto's stores hold: a user operation of entry point 0.6, whose call data is the payload. */
export interface UserOpInfo {
  readonly userOpHash: string;
  readonly userOp: { readonly sender: string; readonly nonce: bigint; readonly callData: string };
  readonly addedToMempool: number;
  readonly submissionAttempts: number;
}

export interface Outstanding {
  add(operations: readonly UserOpInfo[]): Promise<void>;
  pop(count: number): Promise<UserOpInfo[]>;
}

export interface Processing {
  addProcessing(operation: UserOpInfo): Promise<void>;
  removeProcessing(operation: UserOpInfo): Promise<void>;
}

interface Settings {
  readonly config: object;
  readonly entryPoint: string;
  readonly logger: object;
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
export const chainId = 1;
export const entryPoint = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';

/** Both stores of Alto, with `settings` over what they need in any case. */
export async function openAlto(
  folder: string,
  settings: object,
): Promise<{ outstanding: Outstanding; processing: Processing }> {
  const load = async (part: string) =>
    import(pathToFileURL(join(folder, 'node_modules/@pimlico/alto/esm/store', part, 'index.js')).href);
  const config = { chainId, blockTime: 24 * 3_600_000, logLevel: 'silent', getLogger: () => silent, ...settings };
  const all: Settings = { config, entryPoint, logger: silent };
  const { createOutstandingQueue } = (await load('outstanding')) as {
    createOutstandingQueue(of: Settings): Outstanding;
  };
  const { createProcessingStore } = (await load('processing')) as { createProcessingStore(of: Settings): Processing };
  return { outstanding: createOutstandingQueue(all), processing: createProcessingStore(all) };
}

/** An operation of a sender of its own, with a fee of its own. */
function userOpInfo({ hash, payload }: Transaction): UserOpInfo {
  const gas = { callGasLimit: 100_000n, verificationGasLimit: 100_000n, preVerificationGas: 50_000n };
  const fee = BigInt(randomBytes(4).readUInt32BE());
  const userOp = {
    sender: `0x${hash.slice(0, 40)}`,
    nonce: 0n,
    initCode: '0x',
    callData: `0x${Buffer.from(payload).toString('hex')}`,
    ...gas,
    maxPriorityFeePerGas: fee,
    maxFeePerGas: fee,
    paymasterAndData: '0x',
    signature: `0x${hash}${hash}`,
  };
  return { userOpHash: `0x${hash}`, userOp, addedToMempool: 0, submissionAttempts: 0 };
}

/** The steps as Alto's own pool takes them: in flight one after the other, out of it all at once. */
export function altoSteps({ outstanding, processing }: { outstanding: Outstanding; processing: Processing }) {
  const held = new Map<string, UserOpInfo>();
  const made = new Map<string, UserOpInfo>();
  const operation = (transaction: Transaction): UserOpInfo => made.get(transaction.hash) ?? userOpInfo(transaction);
  return {
    async prepare(transactions: readonly Transaction[]): Promise<void> {
      for (const transaction of transactions) made.set(transaction.hash, userOpInfo(transaction));
    },
    add: (transactions: readonly Transaction[]) => outstanding.add(transactions.map(operation)),
    async take(hashes: readonly string[]): Promise<string[]> {
      const operations = await outstanding.pop(hashes.length);
      for (const operation of operations) {
        await processing.addProcessing(operation);
        held.set(operation.userOpHash.slice(2), operation);
      }
      return operations.map(({ userOpHash }) => userOpHash.slice(2));
    },
    async confirm(hashes: readonly string[]): Promise<void> {
      const operations = hashes.map((hash) => held.get(hash)).filter((operation) => operation !== undefined);
      await Promise.all(operations.map((operation) => processing.removeProcessing(operation)));
    },
  };
}
