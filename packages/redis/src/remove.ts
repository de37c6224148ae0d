import type { DriverOptions } from 'mempool-core/backend';
import { Connection } from './connection/connection.ts';
import { refuseMode } from './connection/inspect.ts';
import { type RedisOptions, taggedPrefix } from './connection/options.ts';
import { removedKeysOf, waitKeyOf } from './connection/script.ts';

/**
 * Removes all keys of the pool, and of the election that the options name, in one step (D4). The next call of an open store creates the
 * pool again, as after FLUSHALL. If the answer is lost, it tries again, and then the result may be false. Streams of answers between nodes
 * that have just written (`…:answers:<node>`) are not removed: they expire within 10 s.
 */
export async function removeRedis(options: DriverOptions & RedisOptions): Promise<boolean> {
  const { keyPrefix, pool, election, cluster, timeoutMs, minReplicas = 0 } = options;
  const prefix = taggedPrefix(keyPrefix ?? pool);
  const connection = new Connection(options);
  try {
    if (cluster === undefined) await refuseMode(connection, options);
    const keys = removedKeysOf(prefix, election);
    const removed = await connection.run('remove', keys, [pool, `${prefix}:${election}:heartbeat:`]);
    // Its own wait for replicas has written this key again. Left there, it would expire.
    if (minReplicas > 0) await connection.send('UNLINK', [waitKeyOf(prefix)], timeoutMs).catch(() => undefined);
    return removed > 0;
  } finally {
    connection.close();
  }
}
