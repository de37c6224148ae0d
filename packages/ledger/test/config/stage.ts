import { join } from 'node:path';
import type { Mempool } from 'mempool-core';
import { type Ledger, ledgerPool } from 'mempool-ledger';
import { redis } from 'mempool-redis';
import { sqlite } from 'mempool-sqlite';
import { authorise, transferOf } from '../pool/payment.ts';
import { openAt, type Place } from '../stores/place.ts';

export interface Stage {
  readonly pool: Mempool;
  readonly ledger: Ledger;
}

/** A pool and a ledger that several processes share. */
export async function openStage(place: Place): Promise<Stage> {
  const finalizeThreshold = 3;
  const ledger = await openAt(place);
  if (place.startsWith('sqlite:')) {
    const path = join(place.slice('sqlite:'.length), 'pool.db');
    return { pool: await sqlite.open({ path, finalizeThreshold }), ledger };
  }
  const [, pool = '', ...url] = place.split(':');
  return { pool: await redis.open({ url: url.join(':'), pool, finalizeThreshold }), ledger };
}

/** Nothing that is younger than a second is an orphan: the processes are alive. */
export function coupled({ pool, ledger }: Stage, orphanAfterMs = 1_000) {
  return ledgerPool(pool, ledger, { orphanAfterMs, transferOf, authorise });
}
