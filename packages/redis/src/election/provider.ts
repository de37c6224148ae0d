import { type ElectionClock, ElectionError, type ElectionProvider, isElectionError } from 'mempool-election';
import { closeClient } from '../connection/client.ts';
import { optionNames } from '../connection/options.ts';
import { unsupportedMode } from '../connection/refusal.ts';
import { isRouted } from '../connection/slot-client.ts';
import { dropConnection } from '../connection/socket.ts';
import { ElectionConnection } from './connection.ts';
import { Hints } from './hints.ts';
import { RedisLeaseStore } from './lease-store.ts';
import {
  connectMs,
  createClients,
  electionPrefix,
  type OpenOptions,
  type RedisElectionOptions,
  replicationOf,
} from './options.ts';
import { refusal } from './refusal.ts';

const pauseMs = 20;

/**
 * Elections between processes that share a Redis server. Leases expire by the server's clock.
 *
 * @throws from `open`: `ERR_ELECTION_OPTION` naming the field; `ERR_ELECTION_REFUSED` for a missing permission (naming the command), a
 * wrong password, a read-only replica or a key of another type; `ERR_ELECTION_UNAVAILABLE`
 */
export const redisElection: ElectionProvider<RedisElectionOptions> = {
  type: 'redis',
  options: { ...optionNames, pool: true, client: true },
  open,
};

async function open(options: OpenOptions): Promise<RedisLeaseStore> {
  const { clock, ttlMs, commandTimeoutMs } = options;
  const base = electionPrefix(options);
  const replication = replicationOf(options);
  const { commands, messages, owned } = createClients(options);
  const dropConnections = () => {
    for (const client of owned ? [commands, messages] : [messages]) dropConnection(client);
  };
  const disconnect = () => {
    if (owned) closeClient(commands);
  };
  const isWatched = options.sentinels !== undefined;
  // With Sentinels the URL names no server.
  const url = isWatched ? undefined : options.url;
  const parts = { client: commands, owned, clock, silentMs: ttlMs, dropConnections, replication, isWatched };
  const connection = new ElectionConnection(parts);
  const hints = new Hints({ commands, messages, channel: `${base}:events`, clock });
  const store = new RedisLeaseStore({ connection, hints, base, disconnect });
  try {
    const timeoutMs = Math.max(connectMs, commandTimeoutMs);
    await whileUnavailable(clock, timeoutMs, async () => {
      const wrong = isRouted(commands) ? null : unsupportedMode(await connection.info(), url);
      if (wrong !== null) throw new ElectionError('ERR_ELECTION_REFUSED', wrong);
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

async function probe(connection: ElectionConnection, base: string): Promise<void> {
  const answer = await connection.run('probe', [`${base}:probe`], [`${base}:events`]);
  if (answer === 'OK') return;
  if (!Array.isArray(answer)) throw refusal('its answer is of another kind', 'probe');
  throw refusal(String(answer[1]), String(answer[0]));
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
