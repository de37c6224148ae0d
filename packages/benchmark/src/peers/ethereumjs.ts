import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Transaction } from 'mempool-core';
import type { Peer, PeerPlace, PeerStore } from './peer.ts';

interface Signed {
  readonly cache: { hash?: Uint8Array; senderPubKey?: Uint8Array };
}
interface TxPool {
  add(transaction: Signed, local: true): Promise<void>;
  removeByHash(hash: string, transaction: Signed): void;
}
interface PoolModule {
  readonly TxPool: new (options: object) => TxPool;
}
interface Transactions {
  createFeeMarket1559Tx(data: object): Signed;
}

const head = { baseFeePerGas: 1n, gasLimit: 30_000_000n, stateRoot: new Uint8Array(32) };
const vm = {
  shallowCopy: async () => vm,
  stateManager: { setStateRoot: async () => undefined, getAccount: async () => ({ nonce: 0n, balance: 10n ** 30n }) },
};

/** Chain and machine are stand-ins with the answers that let a transaction in. */
const service = { chain: { getCanonicalHeadHeader: async () => head }, execution: { vm } };

async function open({ folder }: PeerPlace): Promise<PeerStore> {
  const path = join(folder, 'node_modules/@ethereumjs/client/dist/esm/src/service/txpool.js');
  const { TxPool } = (await import(pathToFileURL(path).href)) as PoolModule;
  const { createFeeMarket1559Tx } = createRequire(path)('@ethereumjs/tx') as Transactions;
  const pool = new TxPool({ config: {}, service });
  const signed = new Map<string, Signed>();
  return {
    async prepare(transactions) {
      for (const transaction of transactions) signed.set(transaction.hash, sign(createFeeMarket1559Tx, transaction));
    },
    async add(transactions) {
      for (const { hash } of transactions) await pool.add(signed.get(hash) as Signed, true);
    },
    // The pool has no such stage.
    take: async (hashes) => hashes,
    async confirm(hashes) {
      for (const hash of hashes) pool.removeByHash(hash, signed.get(hash) as Signed);
    },
    close: async () => undefined,
  };
}

/** A transaction of a sender of its own. Hash and sender are put where the pool looks for them: no time goes into keys. */
function sign(create: Transactions['createFeeMarket1559Tx'], { hash, payload }: Transaction): Signed {
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, gasLimit: 1_000_000n };
  const signature = { v: 0n, r: 1n, s: 1n };
  const to = `0x${hash.slice(0, 40)}`;
  const transaction = create({ to, nonce: 0n, data: Buffer.from(payload), ...fees, ...signature });
  transaction.cache.hash = Buffer.from(hash, 'hex');
  transaction.cache.senderPubKey = randomBytes(64);
  return transaction;
}

export const ethereumjs: Peer = {
  name: 'ethereumjs',
  package: '@ethereumjs/client',
  lacks: 'no stage in flight, no roll-back, no events; checks the sender (signatures made beforehand)',
  open,
};
