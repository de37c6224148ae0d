import { Connection, Link, type RedisOptions, refuseMode, taggedPrefix } from 'mempool-redis/backend';
import { LedgerError, type LedgerStore, noDigest, type StoreOptions } from '../backend.ts';
import { Calls } from './calls.ts';
import { ledgerError } from './errors.ts';
import { LogWatch } from './log-watch.ts';
import { RedisLedgerStore } from './store.ts';

/** The own options of `redisLedger`. `keyPrefix` is `ledger` by default; in keys, the ledger's name follows it. */
export interface RedisLedgerOptions extends RedisOptions {
  /** How long a call may wait for the server, in milliseconds, before it fails; default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/** As long as a timer of Node may be. */
const longestMs = 2 ** 31 - 1;

/** Connects, tries every command that the scripts use, and creates the ledger if there is none. */
export async function openLedgerStore(options: RedisLedgerOptions & StoreOptions): Promise<LedgerStore> {
  const { timeoutMs = 5_000, retentionMs, maxRefusals } = options;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestMs)
    throw new LedgerError('ERR_LEDGER_ARGUMENT', 'timeoutMs must be a whole number of milliseconds of at least 1', {
      field: 'timeoutMs',
    });
  try {
    const base = `${taggedPrefix(options.keyPrefix ?? 'ledger')}:${options.name}`;
    const connected = { ...options, pool: base, keyPrefix: base, timeoutMs, clock: () => performance.now() };
    const connection = new Connection(connected);
    const calls = new Calls(connection, base);
    const watch = new LogWatch(`${base}:log`, () => new Link(connected, base, () => undefined));
    try {
      if (options.cluster === undefined) await refuseMode(connection, connected);
      await calls.probe();
      await calls.probeWait();
      await calls.run('open', [noDigest, '1']);
      await calls.run('records', [0, 1]);
      return new RedisLedgerStore({ calls, watch, options: { retentionMs, maxRefusals }, timeoutMs });
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw ledgerError(error, 'open');
  }
}
