import { Redis } from 'ioredis';
import { startRedisServer } from 'mempool-testkit';

/** A server of the benchmark's own, without persistence. */
export interface BenchServer {
  readonly url: string;
  readonly client: Redis;
  /** Bytes in use once everything that was unlinked before is freed. */
  usedMemory(): Promise<number>;
  stop(): Promise<void>;
}

export const noServer = 'no redis-server was started: leave out what needs it with --only';

/** @throws MissingRedisError */
export async function startServer(folder: string): Promise<BenchServer> {
  const server = await startRedisServer({ dir: folder });
  const client = new Redis(server.url, { maxRetriesPerRequest: null });
  // Without a listener the client would print the end of the server.
  client.on('error', () => undefined);
  const usedMemory = async (): Promise<number> => {
    for (;;) {
      const info = await client.info('memory');
      const value = (field: string): number => Number(new RegExp(`${field}:(\\d+)`).exec(info)?.[1]);
      if (value('lazyfree_pending_objects') === 0) return value('used_memory');
    }
  };
  const stop = async (): Promise<void> => {
    client.disconnect();
    await server.stop();
  };
  return { url: server.url, client, usedMemory, stop };
}
