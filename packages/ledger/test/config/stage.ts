import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Mempool } from 'mempool-core';
import { type Ledger, ledgerPool, openLedger } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';
import { sqliteLedger } from 'mempool-ledger/sqlite';
import { redis } from 'mempool-redis';
import { sqlite } from 'mempool-sqlite';

/** `sqlite:<folder>` or `redis:<name>:<url>`. */
export type Place = string;

export interface Stage {
  readonly pool: Mempool;
  readonly ledger: Ledger;
}

/** A pool and a ledger that several processes share. */
export async function openStage(place: Place): Promise<Stage> {
  const thresholds = { finalizeThreshold: 3 };
  const money = { currency: 'EUR' };
  if (place.startsWith('sqlite:')) {
    const folder = place.slice('sqlite:'.length);
    const pool = new Mempool(await sqlite.open({ path: join(folder, 'pool.db'), ...thresholds }));
    return { pool, ledger: await openLedger(sqliteLedger, { path: join(folder, 'ledger.db'), ...money }) };
  }
  const [, name = '', ...rest] = place.split(':');
  const url = rest.join(':');
  const pool = new Mempool(await redis.open({ url, pool: name, ...thresholds }));
  return { pool, ledger: await openLedger(redisLedger, { url, name, ...money }) };
}

export const wallets: readonly string[] = ['a', 'b', 'c'];

export async function fillWallets(ledger: Ledger): Promise<void> {
  for (const id of wallets) {
    await ledger.createWallet({ id, owner: id, currency: 'EUR' });
    const gift = { source: 'vault', destination: id, amount: 300n, currency: 'EUR' };
    await ledger.transfer({ id: `gift ${id}`, ...gift });
  }
}

/** A payment in bytes, with a number that tells equal ones apart. */
export function payment(from: string, to: string, amount: number, nonce: string) {
  const payload = Buffer.from(JSON.stringify([from, to, amount, nonce]));
  return { hash: createHash('sha256').update(payload).digest('hex'), payload };
}

/** Nothing that is younger than a second is an orphan: the processes are alive. */
export function coupled({ pool, ledger }: Stage, orphanAfterMs = 1_000) {
  return ledgerPool(pool, ledger, {
    orphanAfterMs,
    transferOf({ payload }) {
      const [source, destination, amount] = JSON.parse(Buffer.from(payload).toString());
      return { source, destination, amount: BigInt(amount), currency: 'EUR' };
    },
  });
}
