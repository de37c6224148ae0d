import type { MempoolConfig } from 'mempool-core';
import { misconfigured, redisPart } from 'mempool-core/backend';
import type { RedisOptions } from 'mempool-redis';
import { type Ledger, type LedgerOptions, memoryLedger, openLedger } from '../index.ts';

/** Options of `openNodeLedger`: those of `openLedger`, and the path of the ledger. */
export interface NodeLedgerOptions extends LedgerOptions {
  /** The file of the ledger, if the pool is on SQLite; default `pool.ledger.sqlite` for `pool.sqlite`. */
  readonly path?: string | undefined;
}

/** Loads only the package of the backend that is asked for. */
const ledgers: Readonly<
  Record<string, (config: MempoolConfig<string>, options: NodeLedgerOptions) => Promise<Ledger>>
> = {
  ephemeral: (_config, { path: _, ...options }) => openLedger(memoryLedger, options),
  sqlite: besideFile,

  async redis(config, { path: _, ...options }) {
    const { redisLedger } = await import('../redis/redis-ledger.ts');
    const { fields, options: further } = redisPart(config);
    const keyPrefix = config.keyPrefix === undefined ? undefined : `${config.keyPrefix}:ledger`;
    return openLedger(redisLedger, { ...options, ...fields, ...(further as RedisOptions), keyPrefix });
  },
};

async function besideFile(config: MempoolConfig<string>, options: NodeLedgerOptions): Promise<Ledger> {
  const { sqliteLedger } = await import('../sqlite/sqlite-ledger.ts');
  const path = options.path ?? String(config.path).replace(/(\.[^./\\]+)?$/, '.ledger$1');
  return openLedger(sqliteLedger, { ...options, path });
}

/**
 * Opens a ledger on the backend of this configuration: in memory, in its own SQLite file, or on the same Redis.
 * @throws `ERR_MEMPOOL_CONFIG` naming `backend` if it has no ledger; the errors of `openLedger`
 */
export async function openNodeLedger(config: MempoolConfig<string>, options: NodeLedgerOptions): Promise<Ledger> {
  const open = Object.hasOwn(ledgers, config.backend) ? ledgers[config.backend] : undefined;
  if (open !== undefined) return open(config, options);
  const names = Object.keys(ledgers).join(', ');
  throw misconfigured('backend', `is ${config.backend.slice(0, 100)}, which has no ledger; those that have: ${names}`);
}
