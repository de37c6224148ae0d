import { type DriverOptions, isMempoolError, MempoolError } from 'mempool-core';
import { Connection } from './connection.ts';
import { type RedisOptions, taggedPrefix } from './options.ts';
import { createPool } from './pool.ts';
import { asList, asText } from './reply.ts';
import { refusal } from './reply-error.ts';
import { type Keys, keysOf, scripts } from './script.ts';
import { RedisStore } from './store.ts';
import { warn } from './warnings.ts';

/** Connects, tries every command the scripts use, makes the pool where there is none, and warns of what may lose data. */
export async function openRedis(options: DriverOptions & RedisOptions): Promise<RedisStore> {
  const prefix = options.keyPrefix ?? options.pool;
  const keys = keysOf(taggedPrefix(prefix));
  const connection = new Connection(options);
  try {
    await probe(connection, keys);
    await createPool(connection, keys, options);
    await warn(connection, prefix, options);
    return new RedisStore(connection, keys, options);
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function probe(connection: Connection, keys: Keys): Promise<void> {
  const answer = await connection.run(scripts.probe, keys.probe, [], undefined);
  if (!Array.isArray(answer)) return;
  const [command, words] = asList(answer).map(asText) as [string, string];
  const error = refusal(new Error(words.replace(/^-/, '')), command, keys.probe);
  if (!isMempoolError(error)) throw error;
  const old = error.code === 'ERR_MEMPOOL_INCOMPATIBLE' ? 'Redis 6.2 or later is needed: ' : '';
  throw new MempoolError(error.code, `${old}the server refuses ${command}: ${words}`, { command });
}
