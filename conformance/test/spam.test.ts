import { ephemeral } from 'mempool-ephemeral';
import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { SpammedPool } from './spam.ts';

const rounds = 60;
const spamOfRound = 50;
const maxParked = 150;

test(`a flood keeps no honest sender out, and changes no more than it names (seed ${seed})`, async () => {
  const random = new Random(seed);
  const limits = { maxParked, maxPerSender: 16, now: () => 0 };
  await using pool = await SpammedPool.open({
    senders: 20,
    random,
    limits,
    open: (options) => ephemeral.open(options),
  });
  const { store, told } = pool;
  for (let done = 0; done < rounds; done++) {
    for (let i = 0; i < spamOfRound; i++) await pool.spam();
    await pool.sendHonestly();
    const { load } = await store.usage();
    expect(load?.parked).toBeLessThanOrEqual(maxParked);
    expect(await pool.mine()).toBe(3);
  }
  expect(Object.fromEntries(told.honest)).toEqual({ parked: rounds, received: 2 * rounds });
  expect(['parked', 'limit', 'replacement-underpriced'].filter((kind) => !told.spam.has(kind))).toEqual([]);
  const { lastEventSeq } = await store.usage();
  const admitted = told.spam.get('parked') ?? 0;
  // Of spam: it comes, is parked, and leaves at most once. Of a round: three come, one of them is parked and becomes ready,
  // three are confirmed, one block, three become final.
  expect(lastEventSeq).toBeLessThanOrEqual(3 * admitted + 12 * rounds);
});
