import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Limit } from '../src/limits/limit.ts';
import { redisLimits } from '../src/limits/redis.ts';
import { freshTransactions, hashesOf } from '../src/workloads/sample.ts';

const keys = `bare:${process.pid}:*`;

function connected(): Redis {
  const redis = new Redis(inject('redisUrl'));
  onTestFinished(async () => {
    // Not by closing the limit, which empties the server: others use it.
    for (const key of await redis.keysBuffer(keys)) await redis.del(key);
    redis.disconnect();
  });
  return redis;
}

for (const [place, name] of ['pipelined commands', 'bare Lua'].entries())
  test(`${name} keep every stage in order of arrival, as a store must`, async () => {
    const redis = connected();
    const limit = redisLimits(redis, inject('redisUrl'))[place] as Limit;
    expect(limit.name).toBe(name);
    const bare = await limit.open();
    const [first, second] = [freshTransactions(6), freshTransactions(3)];
    await bare.fill?.(first);
    await bare.fill?.(second);
    const hashes = hashesOf([...first, ...second]);
    const places = async () => {
      const [key] = await redis.keysBuffer(`${keys}places`);
      return (await redis.zrangeBuffer(key as Buffer, '0', '-1')).map((member) => member.toString('hex'));
    };
    expect(await places()).toEqual(hashes);
    const moved = [7, 0, 4].map((i) => hashes[i] as string);
    await bare.update(moved);
    const stayed = hashes.filter((hash) => !moved.includes(hash));
    expect(await places()).toEqual([...stayed, hashes[0], hashes[4], hashes[7]]);
    await bare.update(moved.slice(0, 1));
    expect(await places()).toEqual([...stayed, hashes[0], hashes[4], hashes[7]]);
    await bare.remove(hashes.slice(1));
    expect(await places()).toEqual([hashes[0]]);
    expect((await redis.keysBuffer(keys)).length).toBe(2);
  });
