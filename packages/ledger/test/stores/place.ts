import { join } from 'node:path';
import { type Ledger, type LedgerOptions, openLedger } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';
import { type SqliteLedgerOptions, sqliteLedger } from 'mempool-ledger/sqlite';

/** Where several processes find one ledger: `sqlite:<folder>` or `redis:<name>:<url>`. */
export type Place = string;

/** The currency of all wallets. */
export const currency = 'EUR';

/** Opens the ledger of a place. The options are those of any ledger, and `synchronous` for a file. */
export function openAt(
  place: Place,
  { synchronous, ...options }: Partial<LedgerOptions & Pick<SqliteLedgerOptions, 'synchronous'>> = {},
): Promise<Ledger> {
  if (place.startsWith('sqlite:')) {
    const path = join(place.slice('sqlite:'.length), 'ledger.db');
    return openLedger(sqliteLedger, { path, currency, synchronous, ...options });
  }
  const [, name = '', ...url] = place.split(':');
  return openLedger(redisLedger, { url: url.join(':'), name, currency, ...options });
}
