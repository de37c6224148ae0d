import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import type { Peer, PeerPlace, PeerStore } from './peer.ts';

// Alto is GPL-3.0: it is loaded from where it is installed, and nothing of it is here.

/** What Alto's stores hold: a user operation of entry point 0.6, whose call data is the payload. */
interface UserOpInfo {
  readonly userOpHash: string;
  readonly userOp: { readonly sender: string; readonly nonce: bigint; readonly callData: string };
  readonly addedToMempool: number;
  readonly submissionAttempts: number;
}

interface Stores {
  readonly outstanding: {
    add(operations: readonly UserOpInfo[]): Promise<void>;
    pop(count: number): Promise<UserOpInfo[]>;
  };
  readonly processing: {
    addProcessing(operation: UserOpInfo): Promise<void>;
    removeProcessing(operation: UserOpInfo): Promise<void>;
  };
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
const chainId = 1;
const entryPoint = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';

/** Both stores of Alto, with `settings` over what they need in any case. */
async function openStores(folder: string, settings: object): Promise<Stores> {
  const config = { chainId, blockTime: 24 * 3_600_000, logLevel: 'silent', getLogger: () => silent, ...settings };
  const made = async <T>(part: string, maker: string): Promise<T> => {
    const path = join(folder, 'node_modules/@pimlico/alto/esm/store', part, 'index.js');
    const module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, (of: object) => T>>;
    const make = module[maker] as (of: object) => T;
    return make({ config, entryPoint, logger: silent });
  };
  return {
    outstanding: await made('outstanding', 'createOutstandingQueue'),
    processing: await made('processing', 'createProcessingStore'),
  };
}

/** An operation of a sender of its own, with a fee of its own. */
function userOpInfo({ hash, payload }: Transaction): UserOpInfo {
  const fee = BigInt(randomBytes(4).readUInt32BE());
  const userOp = {
    sender: `0x${hash.slice(0, 40)}`,
    nonce: 0n,
    initCode: '0x',
    callData: `0x${Buffer.from(payload).toString('hex')}`,
    ...{ callGasLimit: 100_000n, verificationGasLimit: 100_000n, preVerificationGas: 50_000n },
    ...{ maxPriorityFeePerGas: fee, maxFeePerGas: fee, paymasterAndData: '0x' },
    signature: `0x${hash}${hash}`,
  };
  return { userOpHash: `0x${hash}`, userOp, addedToMempool: 0, submissionAttempts: 0 };
}

function bare(hashes: readonly string[]): string[] {
  return hashes.map((hash) => hash.slice(2));
}

/** The steps as Alto's own pool takes them: in flight one after the other, out of it all at once. */
function storeOf({ outstanding, processing }: Stores): Omit<PeerStore, 'close'> {
  const held = new Map<string, UserOpInfo>();
  const made = new Map<string, UserOpInfo>();
  return {
    async prepare(transactions) {
      for (const transaction of transactions) made.set(transaction.hash, userOpInfo(transaction));
    },
    add: (transactions) => outstanding.add(transactions.map((one) => made.get(one.hash) ?? userOpInfo(one))),
    async take(hashes) {
      const operations = await outstanding.pop(hashes.length);
      for (const operation of operations) {
        await processing.addProcessing(operation);
        held.set(operation.userOpHash.slice(2), operation);
      }
      return bare(operations.map(({ userOpHash }) => userOpHash));
    },
    async confirm(hashes) {
      const operations = hashes.map((hash) => held.get(hash)).filter((operation) => operation !== undefined);
      await Promise.all(operations.map((operation) => processing.removeProcessing(operation)));
    },
  };
}

export const altoMemory: Peer = {
  name: 'Alto, memory',
  package: '@pimlico/alto',
  lacks: 'no blocks, roll-back or events; what is in flight is a set of hashes',
  open: async ({ folder }) => ({ ...storeOf(await openStores(folder, {})), close: async () => undefined }),
};

async function openRedis({ folder, url, name }: PeerPlace): Promise<PeerStore> {
  const settings = { redisKeyPrefix: name, redisEndpoint: url, enableHorizontalScaling: true };
  const stores = await openStores(folder, settings);
  // Alto's stores keep a client each and never close it.
  const clients = Object.values<object>({ ...stores }).map((store) => (store as { readonly redis: Redis }).redis);
  for (const client of clients) client.on('error', () => undefined);
  await Promise.all(clients.map((client) => client.ping()));
  return {
    ...storeOf(stores),
    async census() {
      const keys = `${name}:${chainId}:${entryPoint}`;
      const [client] = clients as [Redis];
      const waiting = await client.zrange(`${keys}:outstanding:ready-queue`, '0', '-1');
      const inflight = await client.smembers(`${keys}:processing:userOps`);
      return { waiting: bare(waiting), inflight: bare(inflight), done: [] };
    },
    async close() {
      for (const client of clients) client.disconnect();
    },
  };
}

export const altoRedis: Peer = {
  name: 'Alto, Redis',
  package: '@pimlico/alto',
  lacks:
    'popping and marking are separate commands; payloads in flight are in no store; no blocks, roll-back or chain tip',
  open: openRedis,
};
