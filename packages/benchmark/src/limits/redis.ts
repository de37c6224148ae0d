import { type ChainableCommander, Redis } from 'ioredis';
import { type Bare, hashBytes, type Limit } from './limit.ts';

/** Added to the score of a transaction, it gives its score in the next stage. */
const nextStage = 2 ** 32;
let names = 0;

/**
 * A `SET` of each payload, and a sorted set of places by stage and then in order of arrival, since every stage can be read in
 * that order. One command for each transaction, all in one pipeline.
 */
function bareRedis(redis: Redis, url: string): Bare {
  // Other processes may use the same server.
  const name = `bare:${process.pid}:${names++}:`;
  const places = `${name}places`;
  let placed = 0;
  let fresh: Redis | null = null;
  const keyOf = (hash: string): Buffer => Buffer.concat([Buffer.from(name), hashBytes(hash)]);
  const each = <T>(items: readonly T[], add: (pipeline: ChainableCommander, item: T) => unknown) => {
    const pipeline = redis.pipeline();
    for (const item of items) add(pipeline, item);
    return pipeline.exec();
  };
  const insert: Bare['insert'] = (transactions) =>
    each(transactions, (pipeline, { hash, payload }) => pipeline.set(keyOf(hash), Buffer.from(payload)));
  return {
    insert,
    async fill(transactions) {
      await insert(transactions);
      await redis.zadd(places, ...transactions.flatMap(({ hash }) => [placed++, hashBytes(hash)]));
    },
    update: (hashes) => each(hashes, (pipeline, hash) => pipeline.zincrby(places, nextStage, hashBytes(hash))),
    look: (hashes) => each(hashes, (pipeline, hash) => pipeline.zscore(places, hashBytes(hash))),
    read: (hashes) => each(hashes, (pipeline, hash) => pipeline.getBuffer(keyOf(hash))),
    async remove(hashes) {
      await redis.zrem(places, ...hashes.map(hashBytes));
      await redis.del(...hashes.map(keyOf));
    },
    shut: () => fresh?.disconnect(),
    reopen() {
      fresh = new Redis(url);
      return fresh.exists(places);
    },
    async close() {
      fresh?.disconnect();
      await redis.flushdb('SYNC');
    },
  };
}

export function redisLimit(redis: Redis, url: string): Limit {
  return { name: 'pipelined commands', open: async () => bareRedis(redis, url) };
}
