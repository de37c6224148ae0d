import type { ChainableCommander, Redis } from 'ioredis';
import type { Priced } from '../workloads/ranked-sample.ts';
import { hashBytes } from './hash-bytes.ts';
import type { BareRanking, RankingLimit } from './ranking.ts';
import { sha } from './redis.ts';

const removedAtOnce = 1_000;
let rankings = 0;

const admit = `
  for i = 1, #ARGV, 3 do
    redis.call('SET', KEYS[1] .. ARGV[i], ARGV[i + 1])
    redis.call('ZADD', KEYS[2], ARGV[i + 2], ARGV[i])
  end
  local worst = redis.call('ZPOPMIN', KEYS[2], #ARGV / 3)
  local keys = {}
  for i = 1, #worst, 2 do keys[#keys + 1] = KEYS[1] .. worst[i] end
  redis.call('DEL', unpack(keys))`;
const admitSha = sha(admit);

/** The replies of a pipeline. @throws Error of the first command that failed: what was not done would look quick */
function done(replies: Awaited<ReturnType<ChainableCommander['exec']>>): unknown[] {
  return (replies ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}

/** A `SET` of each payload and a sorted set of hashes. What was worst is known after a trip, and goes with a second. */
class BareRankedPipeline implements BareRanking {
  protected readonly redis: Redis;
  /** Other processes may use the same server. */
  protected readonly name = `bare-ranking:${process.pid}:${rankings++}:`;
  protected readonly order = `${this.name}order`;

  constructor(redis: Redis) {
    this.redis = redis;
  }

  async fill(transactions: readonly Priced[]): Promise<void> {
    done(await this.#inserting(transactions).exec());
  }

  async admit(newcomers: readonly Priced[]): Promise<void> {
    const replies = done(await this.#inserting(newcomers).zpopminBuffer(this.order, newcomers.length).exec());
    await this.#remove(replies.at(-1) as Buffer[]);
  }

  async close(): Promise<void> {
    for (;;) {
      const worst = (await this.redis.zpopminBuffer(this.order, removedAtOnce)) as Buffer[];
      if (worst.length === 0) return;
      await this.#remove(worst);
    }
  }

  #inserting(transactions: readonly Priced[]): ChainableCommander {
    const pipeline = this.redis.pipeline();
    for (const { hash, payload, verdict } of transactions) {
      const member = hashBytes(hash);
      pipeline.set(this.#key(member), Buffer.from(payload));
      pipeline.zadd(this.order, String(verdict.priority), member);
    }
    return pipeline;
  }

  /** @param popped each with its score behind it */
  async #remove(popped: readonly Buffer[]): Promise<void> {
    const members = popped.filter((_, i) => i % 2 === 0);
    await this.redis.del(...members.map((member) => this.#key(member)));
  }

  #key(member: Buffer): Buffer {
    return Buffer.concat([Buffer.from(this.name), member]);
  }
}

/** The same commands from within a script: one call for the whole batch. */
class BareRankedLua extends BareRankedPipeline {
  override async admit(newcomers: readonly Priced[]): Promise<void> {
    const given = newcomers.flatMap(({ hash, payload, verdict }) => [
      hashBytes(hash),
      Buffer.from(payload),
      String(verdict.priority),
    ]);
    await this.redis.callBuffer('EVALSHA', admitSha, 2, this.name, this.order, ...given);
  }

  async load(): Promise<this> {
    await this.redis.script('LOAD', admit);
    return this;
  }
}

export function redisRankings(redis: Redis): RankingLimit[] {
  return [
    { name: 'pipelined commands, sorted set', open: async () => new BareRankedPipeline(redis) },
    { name: 'bare Lua, sorted set', open: () => new BareRankedLua(redis).load() },
  ];
}
