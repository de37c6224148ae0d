import { type DriverOptions, dumpOf, dumpOfParts, type IndexDump, type PoolPart } from 'mempool-core/backend';
import type { RedisOptions } from 'mempool-redis';
import { TurnCount } from 'mempool-testkit';
import { onTestFinished } from 'vitest';
import { Connection } from '../../src/connection/connection.ts';
import { type Node, PoolReader } from '../../src/pool/pool-reader.ts';
import { RedisPriorityStorage } from '../../src/priority/storage.ts';

/** A node of which a test sees what it remembers of the pool, and what the server has. */
export interface MirrorNode {
  /** Its mirror, brought up to date as a read does it. */
  remembered(): Promise<IndexDump>;
  /** The pool loaded anew. */
  stored(): Promise<IndexDump>;
  /** Fills the mirror anew. Returns the turns of the event loop behind the last page that came from the server. */
  turnsOfFill(): Promise<number>;
}

const context = { signal: undefined };

/** Its connection is closed when the test ends. */
export function poolNode(url: string, pool: string): Node {
  const options: DriverOptions & RedisOptions = {
    ...{ url, pool, election: 'watcher', fenced: false, maxTxBytes: 1_048_576, retention: {}, limits: {}, now: null },
    ordering: 'priority',
    thresholds: { finalizeThreshold: 6, dropThreshold: 2 },
    inflightTtlMs: 86_400_000,
    timeoutMs: 10_000,
    clock: () => performance.now(),
    log: () => undefined,
    damage: () => undefined,
  };
  const connection = new Connection(options);
  onTestFinished(() => connection.close());
  const createPool = () => Promise.reject(new Error('the pool is not there'));
  return { connection, prefix: `{${pool}}`, options, createPool };
}

export function mirrorNode(url: string, pool: string): MirrorNode {
  const node = poolNode(url, pool);
  const { connection } = node;
  const storage = new RedisPriorityStorage(node);
  return {
    turnsOfFill: async () => {
      const turns = new TurnCount();
      let pages = 0;
      const runOnce = connection.runOnce.bind(connection);
      connection.runOnce = (...call) =>
        runOnce(...call).finally(() => {
          pages = turns.count;
        });
      await storage.load();
      connection.runOnce = runOnce;
      return turns.end() - pages;
    },
    remembered: () => storage.read(context, ({ index }) => dumpOf(index)),
    stored: async () => {
      const parts: PoolPart[] = [];
      for await (const page of new PoolReader(node, () => storage.settled).exportPages(context)) parts.push(...page);
      const { ordering: _, content: __, ...index } = dumpOfParts('priority', parts);
      return index;
    },
  };
}
