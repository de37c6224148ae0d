import { createHash } from 'node:crypto';
import { type ChainableCommander, Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import { type Bare, type BareRanking, type BareReads, hashBytes, type Limit } from './limit.ts';

/** Added to the score of a transaction, it gives its score in the next stage. */
const nextStage = 2 ** 32;
const removedAtOnce = 1_000;
let names = 0;

type Value = Buffer | string;

/** One verb for many records: a command for each, or the same commands in a script. */
interface Verb {
  add(pipeline: ChainableCommander, key: string, record: readonly Value[]): unknown;
  readonly lua: string;
}

function keyOf(prefix: string, member: Value | undefined): Buffer {
  return Buffer.concat([Buffer.from(prefix), member as Buffer]);
}

const verbs = {
  insert: {
    add: (pipeline, prefix, [hash, payload]) => pipeline.set(keyOf(prefix, hash), payload as Buffer),
    lua: "for i = 1, #ARGV, 2 do redis.call('SET', KEYS[1] .. ARGV[i], ARGV[i + 1]) end",
  },
  update: {
    add: (pipeline, places, [hash]) => pipeline.zincrby(places, nextStage, hash as Buffer),
    lua: `for i = 1, #ARGV do redis.call('ZINCRBY', KEYS[1], ${nextStage}, ARGV[i]) end`,
  },
  look: {
    add: (pipeline, places, [hash]) => pipeline.zscore(places, hash as Buffer),
    lua: "local out = {} for i = 1, #ARGV do out[i] = redis.call('ZSCORE', KEYS[1], ARGV[i]) or '' end return out",
  },
  read: {
    add: (pipeline, prefix, [hash]) => pipeline.getBuffer(keyOf(prefix, hash)),
    lua: "local out = {} for i = 1, #ARGV do out[i] = redis.call('GET', KEYS[1] .. ARGV[i]) or '' end return out",
  },
} satisfies Record<string, Verb>;

type Send = (verb: Verb, key: string, records: readonly (readonly Value[])[]) => Promise<unknown>;

function pipelined(redis: Redis): Send {
  return (verb, key, records) => {
    const pipeline = redis.pipeline();
    for (const record of records) verb.add(pipeline, key, record);
    return pipeline.exec();
  };
}

/** Runs a script that is loaded once, so that each call names it by its hash. */
function scripted(redis: Redis) {
  const loaded = new Map<string, string>();
  return async (lua: string, keys: readonly string[], given: readonly Value[]): Promise<unknown> => {
    if (!loaded.has(lua)) await redis.script('LOAD', lua);
    const sha = loaded.get(lua) ?? createHash('sha1').update(lua).digest('hex');
    loaded.set(lua, sha);
    return redis.callBuffer('EVALSHA', sha, keys.length, ...keys, ...given);
  };
}

function inLua(redis: Redis): Send {
  const run = scripted(redis);
  return ({ lua }, key, records) => run(lua, [key], records.flat());
}

/**
 * A `SET` of each payload, and a sorted set of places by stage and then in order of arrival, since every stage can be read in
 * that order.
 */
function bareRedis(redis: Redis, url: string, send: Send): Bare {
  // Other processes may use the same server.
  const name = `bare:${process.pid}:${names++}:`;
  const [places, list] = [`${name}places`, `${name}list`];
  let placed = 0;
  let fresh: Redis | null = null;
  const members = (hashes: readonly string[]): Buffer[][] => hashes.map((hash) => [hashBytes(hash)]);
  const insert = (transactions: readonly Transaction[]): Promise<unknown> =>
    send(
      verbs.insert,
      name,
      transactions.map(({ hash, payload }) => [hashBytes(hash), Buffer.from(payload)]),
    );
  return {
    insert,
    async fill(transactions) {
      await insert(transactions);
      await redis.zadd(places, ...transactions.flatMap(({ hash }) => [placed++, hashBytes(hash)]));
    },
    update: (hashes) => send(verbs.update, places, members(hashes)),
    look: (hashes) => send(verbs.look, places, members(hashes)),
    read: (hashes) => send(verbs.read, name, members(hashes)),
    async remove(hashes) {
      await redis.zrem(places, ...members(hashes).flat());
      await redis.del(...hashes.map((hash) => keyOf(name, hashBytes(hash))));
    },
    append: (transactions) => redis.rpush(list, ...transactions.map(({ payload }) => Buffer.from(payload))),
    page: (from, count) => redis.lrangeBuffer(list, from, from + count - 1),
    shut: () => fresh?.disconnect(),
    reopen() {
      fresh = new Redis(url);
      return fresh.exists(list);
    },
    async close() {
      fresh?.disconnect();
      await redis.flushdb('SYNC');
    },
  };
}

/** A sorted set in order of arrival and a hash of payloads, read by `ZRANGE` and `HMGET`. */
export function plainReads(redis: Redis): BareReads {
  const name = `bare-reads:${process.pid}:${names++}:`;
  const [places, bodies] = [`${name}places`, `${name}bodies`];
  let placed = 0;
  return {
    async fill(transactions) {
      const pipeline = redis.pipeline();
      for (const { hash, payload } of transactions) {
        pipeline.zadd(places, String(placed++), hashBytes(hash));
        pipeline.hset(bodies, hashBytes(hash), Buffer.from(payload));
      }
      done(await pipeline.exec());
    },
    async page(after, count) {
      const hashes = await redis.zrangeBuffer(places, String(after), String(after + count - 1));
      return redis.hmgetBuffer(bodies, ...hashes);
    },
    close: () => redis.del(places, bodies),
  };
}

/** The replies of a pipeline. @throws Error of the first command that failed: work that was not done would look fast */
function done(replies: Awaited<ReturnType<ChainableCommander['exec']>>): unknown[] {
  return (replies ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}

const admitLua = `
  for i = 1, #ARGV, 3 do
    redis.call('SET', KEYS[1] .. ARGV[i], ARGV[i + 1])
    redis.call('ZADD', KEYS[2], ARGV[i + 2], ARGV[i])
  end
  local worst = redis.call('ZPOPMIN', KEYS[2], #ARGV / 3)
  local keys = {}
  for i = 1, #worst, 2 do keys[#keys + 1] = KEYS[1] .. worst[i] end
  redis.call('DEL', unpack(keys))`;

/** A `SET` of each payload and a sorted set of hashes. The worst are known after one trip and deleted in a second. */
function pipelinedRanking(redis: Redis, name: string): BareRanking {
  const order = `${name}order`;
  const inserting = (transactions: Parameters<BareRanking['fill']>[0]): ChainableCommander => {
    const pipeline = redis.pipeline();
    for (const { hash, payload, verdict } of transactions) {
      const member = hashBytes(hash);
      pipeline.set(keyOf(name, member), Buffer.from(payload));
      pipeline.zadd(order, String(verdict.priority), member);
    }
    return pipeline;
  };
  /** @param popped each with its score behind it */
  const remove = (popped: readonly Buffer[]): Promise<number> =>
    redis.del(...popped.filter((_, i) => i % 2 === 0).map((member) => keyOf(name, member)));
  return {
    fill: async (transactions) => done(await inserting(transactions).exec()),
    async admit(newcomers) {
      const replies = done(await inserting(newcomers).zpopminBuffer(order, newcomers.length).exec());
      await remove(replies.at(-1) as Buffer[]);
    },
    async close() {
      for (;;) {
        const worst = (await redis.zpopminBuffer(order, removedAtOnce)) as Buffer[];
        if (worst.length === 0) return;
        await remove(worst);
      }
    },
  };
}

/** The same commands in a script: one call for the whole batch. */
function luaRanking(redis: Redis, name: string): BareRanking {
  const run = scripted(redis);
  return {
    ...pipelinedRanking(redis, name),
    admit: (newcomers) =>
      run(
        admitLua,
        [name, `${name}order`],
        newcomers.flatMap(({ hash, payload, verdict }) => [
          hashBytes(hash),
          Buffer.from(payload),
          String(verdict.priority),
        ]),
      ),
  };
}

export function redisLimits(redis: Redis, url: string): [Limit<Bare>, Limit<Bare>] {
  return [
    { name: 'pipelined commands', open: async () => bareRedis(redis, url, pipelined(redis)) },
    { name: 'bare Lua', open: async () => bareRedis(redis, url, inLua(redis)) },
  ];
}

export function redisRankings(redis: Redis): Limit<BareRanking>[] {
  const name = (): string => `bare-ranking:${process.pid}:${names++}:`;
  return [
    { name: 'pipelined commands, sorted set', open: async () => pipelinedRanking(redis, name()) },
    { name: 'bare Lua, sorted set', open: async () => luaRanking(redis, name()) },
  ];
}
