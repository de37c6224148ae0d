import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import { hashBytes } from './hash-bytes.ts';
import type { Bare, Limit } from './limit.ts';

let bares = 0;

/** Added to a place, it is the same place among those of the next stage. */
const nextStage = 2 ** 32;

const scripts = {
  insert: "for i = 1, #ARGV, 2 do redis.call('SET', KEYS[1] .. ARGV[i], ARGV[i + 1]) end",
  update: `for i = 1, #ARGV do redis.call('ZINCRBY', KEYS[1], ${nextStage}, ARGV[i]) end`,
  look: "local out = {} for i = 1, #ARGV do out[i] = redis.call('ZSCORE', KEYS[1], ARGV[i]) or '' end return out",
  read: "local out = {} for i = 1, #ARGV do out[i] = redis.call('GET', KEYS[1] .. ARGV[i]) or '' end return out",
} as const;

/**
 * A `SET` of each payload and a sorted set of places, by stage and then in order of arrival, since every stage can be read in that
 * order: one command for each transaction, sent together.
 */
class BarePipeline implements Bare {
  protected readonly redis: Redis;
  /** Other processes may use the same server. */
  protected readonly name = `bare:${process.pid}:${bares++}:`;
  protected readonly places = `${this.name}places`;
  readonly #url: string;
  #placed = 0;
  #fresh: Redis | null = null;

  constructor(redis: Redis, url: string) {
    this.redis = redis;
    this.#url = url;
  }

  async insert(transactions: readonly Transaction[]): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const { hash, payload } of transactions) pipeline.set(this.#key(hash), Buffer.from(payload));
    await pipeline.exec();
  }

  async fill(transactions: readonly Transaction[]): Promise<void> {
    await this.insert(transactions);
    await this.redis.zadd(this.places, ...transactions.flatMap(({ hash }) => [this.#placed++, hashBytes(hash)]));
  }

  async update(hashes: readonly string[]): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const hash of hashes) pipeline.zincrby(this.places, nextStage, hashBytes(hash));
    await pipeline.exec();
  }

  async look(hashes: readonly string[]): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const hash of hashes) pipeline.zscore(this.places, hashBytes(hash));
    await pipeline.exec();
  }

  async read(hashes: readonly string[]): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const hash of hashes) pipeline.getBuffer(this.#key(hash));
    await pipeline.exec();
  }

  async remove(hashes: readonly string[]): Promise<void> {
    await this.redis.zrem(this.places, ...hashes.map(hashBytes));
    await this.redis.del(...hashes.map((hash) => this.#key(hash)));
  }

  async append(transactions: readonly Transaction[]): Promise<void> {
    await this.redis.rpush(`${this.name}list`, ...transactions.map(({ payload }) => Buffer.from(payload)));
  }

  async page(from: number, count: number): Promise<void> {
    await this.redis.lrangeBuffer(`${this.name}list`, from, from + count - 1);
  }

  shut(): void {
    this.#fresh?.disconnect();
  }

  async reopen(): Promise<void> {
    this.#fresh = new Redis(this.#url);
    await this.#fresh.exists(`${this.name}list`);
  }

  async close(): Promise<void> {
    this.shut();
    await this.redis.flushdb('SYNC');
  }

  #key(hash: string): Buffer {
    return Buffer.concat([Buffer.from(this.name), hashBytes(hash)]);
  }
}

/** The same commands from within a script: one call for the whole batch. */
class BareLua extends BarePipeline {
  override async insert(transactions: readonly Transaction[]): Promise<void> {
    const given = transactions.flatMap(({ hash, payload }) => [hashBytes(hash), Buffer.from(payload)]);
    await this.#run('insert', this.name, given);
  }

  override async update(hashes: readonly string[]): Promise<void> {
    await this.#run('update', this.places, hashes.map(hashBytes));
  }

  override async look(hashes: readonly string[]): Promise<void> {
    await this.#run('look', this.places, hashes.map(hashBytes));
  }

  override async read(hashes: readonly string[]): Promise<void> {
    await this.#run('read', this.name, hashes.map(hashBytes));
  }

  async load(): Promise<this> {
    for (const script of Object.values(scripts)) await this.redis.script('LOAD', script);
    return this;
  }

  async #run(script: keyof typeof scripts, key: string, given: readonly Buffer[]): Promise<void> {
    await this.redis.callBuffer('EVALSHA', sha(scripts[script]), 1, key, ...given);
  }
}

export function sha(script: string): string {
  return createHash('sha1').update(script).digest('hex');
}

export function redisLimits(redis: Redis, url: string): Limit[] {
  return [
    { name: 'pipelined commands', survives: true, open: async () => new BarePipeline(redis, url) },
    { name: 'bare Lua', survives: true, open: () => new BareLua(redis, url).load() },
  ];
}
