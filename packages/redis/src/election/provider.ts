import { type ElectionClock, ElectionError, type ElectionProvider, isElectionError } from 'mempool-election';
import { createClient } from '../connection/client.ts';
import { tryCommands } from '../connection/inspect.ts';
import { Link } from '../connection/link.ts';
import { optionNames } from '../connection/options.ts';
import { unsupportedMode } from '../connection/refusal.ts';
import { ElectionConnection } from './connection.ts';
import { Hints } from './hints.ts';
import { RedisLeaseStore } from './lease-store.ts';
import { checked, electionPrefix, type OpenOptions, type RedisElectionOptions, replicationOf } from './options.ts';
import { electionError } from './refusal.ts';

/** The least time for a connection, in milliseconds, because a handshake takes longer than a command. */
const connectMs = 1_000;

const pauseMs = 20;

/**
 * Elections between processes that share a Redis server. Leases expire by the server's clock.
 *
 * @throws from `open`: `ERR_ELECTION_OPTION` naming the field; `ERR_ELECTION_REFUSED` for a missing permission (naming the command), a
 * wrong password, a read-only replica or a key of another type; `ERR_ELECTION_UNAVAILABLE`
 */
export const redisElection: ElectionProvider<RedisElectionOptions> = {
  type: 'redis',
  options: { ...optionNames, pool: true },
  open,
};

async function open(options: OpenOptions): Promise<RedisLeaseStore> {
  const { clock, ttlMs, commandTimeoutMs } = options;
  const base = electionPrefix(options);
  const replication = replicationOf(options);
  const timeoutMs = Math.max(connectMs, commandTimeoutMs);
  const link = checked('url', () => new Link({ ...options, timeoutMs, silentMs: ttlMs }, base, () => undefined));
  const connection = new ElectionConnection({
    link,
    timeoutMs: commandTimeoutMs,
    isWatched: options.sentinels !== undefined,
    replication,
  });
  const messages = createClient(options, base, {
    connectTimeout: timeoutMs,
    commandTimeout: commandTimeoutMs,
    // `Hints` subscribes again itself. If the client did, a missing answer would be an unhandled rejection.
    autoResubscribe: false,
  });
  const hints = new Hints({ link, messages, channel: `${base}:events`, clock });
  const store = new RedisLeaseStore({ connection, hints, base });
  try {
    await whileUnavailable(clock, timeoutMs, async () => {
      await refuseMode(connection, options);
      await probe(connection, base);
      await connection.probeWait();
      await store.observe();
      await hints.subscribe();
    });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function refuseMode(connection: ElectionConnection, { cluster, sentinels, url }: OpenOptions): Promise<void> {
  if (cluster !== undefined) return;
  // With Sentinels the URL names no server.
  const wrong = unsupportedMode(await connection.info(), sentinels === undefined ? url : undefined);
  if (wrong !== null) throw new ElectionError('ERR_ELECTION_REFUSED', wrong);
}

async function probe(connection: ElectionConnection, base: string): Promise<void> {
  try {
    await tryCommands(() => connection.run('probe', [`${base}:probe`], [`${base}:events`]));
  } catch (error) {
    throw isElectionError(error) ? error : electionError(error, 'probe');
  }
}

/** Tries again while the connection is being established. Refusals of the server are final. */
async function whileUnavailable(clock: ElectionClock, timeoutMs: number, attempt: () => Promise<void>): Promise<void> {
  const untilMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isElectionError(error, 'ERR_ELECTION_UNAVAILABLE') || clock.monotonicMs() >= untilMs) throw error;
    }
    await new Promise<void>((resolve) => clock.schedule(resolve, pauseMs));
  }
}
