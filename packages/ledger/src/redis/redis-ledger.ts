import { optionNames } from 'mempool-redis/backend';
import { defineLedger, type LedgerBackend } from '../backend.ts';
import { openLedgerStore, type RedisLedgerOptions } from './open.ts';

export type { RedisLedgerOptions } from './open.ts';

/**
 * The ledger on a Redis server, shared by any number of processes. Each verb is one script; there are no locks. Its times are
 * those of the server's clock.
 *
 * @throws from `openLedger`, in addition to the errors of every ledger: `ERR_LEDGER_REFUSED` for a wrong password, for a missing
 * permission (naming the command) or for a replica; `ERR_LEDGER_INCOMPATIBLE` for a newer format, or naming a key of another
 * type; `ERR_LEDGER_CORRUPT` naming a key that is gone
 */
export const redisLedger: LedgerBackend<RedisLedgerOptions> = defineLedger<RedisLedgerOptions>({
  name: 'redis',
  options: { ...optionNames, timeoutMs: true },
  open: openLedgerStore,
});
