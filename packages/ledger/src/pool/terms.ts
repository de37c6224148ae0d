import type { Transaction } from 'mempool-core';
import type { Transfer } from '../contract/transfer.ts';
import type { Coupling, PoolTransfer } from './pool-options.ts';
import { noteOf } from './position.ts';

/** The payment of a transaction. `unknown` means that its bytes are gone. `free` means that it moves no money. */
export type Terms = PoolTransfer | 'unknown' | 'free';

/** Returns the payment of a transaction: from its bytes if the pool has them, else from an earlier reservation. */
export async function termsOf(coupling: Coupling, hash: string, earlier: Transfer | null): Promise<Terms> {
  const [live] = await coupling.pool.payloads([hash]);
  if (live) return (await coupling.transferOf(live)) ?? 'free';
  const payer = earlier === null ? undefined : noteOf(earlier)?.payer;
  if (earlier !== null && payer !== undefined) {
    const { destination, amount, currency, description } = earlier;
    return { source: payer, destination, amount, currency, description };
  }
  const logged = await loggedTransaction(coupling, hash);
  return logged === null ? 'unknown' : ((await coupling.transferOf(logged)) ?? 'free');
}

/** Looks through the whole log: only for what went past `submit` and ended before the follower came to it. */
async function loggedTransaction({ pool }: Coupling, hash: string): Promise<Transaction | null> {
  for (let cursor = 'origin'; ; ) {
    const page = await pool.dumpFinalized({ cursor, limit: 1_000 });
    const found = page.entries.findLast((entry) => entry.hash === hash);
    if (found !== undefined) return { hash, payload: found.payload, payloadType: found.payloadType };
    if (!page.hasMore) return null;
    cursor = page.cursor;
  }
}
