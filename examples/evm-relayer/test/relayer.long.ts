import { setTimeout as delay } from 'node:timers/promises';
import { startDevChain } from 'evm-chain';
import { Random, seed } from 'mempool-testkit';
import { createPublicClient, type Hex, http, keccak256 } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { type Sender, senders, signed, startRelayer } from './cast.ts';

/** A missing event is a failure, however long the wait. */
async function open(blockMs: number) {
  const chain = await startDevChain({ blockMs });
  for (const { address } of senders) await chain.call('hardhat_setBalance', address, '0xffffffffffffffffffffff');
  onTestFinished(() => chain[Symbol.asyncDispose]());
  const relayer = await startRelayer(chain.url, 12);
  const client = createPublicClient({ transport: http(chain.url), cacheTime: 0 });
  /** The hashes of a sender's transactions in blocks, by block. */
  const mined = async ({ address }: Sender): Promise<Hex[]> => {
    const all: Hex[] = [];
    const last = await client.getBlockNumber();
    for (let number = 0n; number <= last; number += 1n) {
      const { transactions } = await client.getBlock({ blockNumber: number, includeTransactions: true });
      for (const { from, hash } of transactions) if (from === address.toLowerCase()) all.push(hash);
    }
    return all;
  };
  /** How many nonces a sender has used. */
  const nonce = ({ address }: Sender) => client.getTransactionCount({ address });
  return { chain, relayer, mined, nonce };
}

test('killed at any time and through reorganisations, every transaction ends in a block, once, in order', {
  timeout: 900_000,
}, async () => {
  const { chain, relayer, mined, nonce } = await open(150);
  const random = new Random(seed);
  const perSender = 30;
  const lives = 15;
  const raws = await Promise.all(
    senders.map((sender) => Promise.all(Array.from({ length: perSender }, (_, nonce) => signed(sender, nonce)))),
  );
  const waiting = raws.flat().sort(() => random.below(3) - 1);
  const feeding = (async () => {
    for (let raw = waiting.shift(); raw !== undefined; ) {
      const kind = await relayer.submit(raw).catch(() => 'lost');
      if (['received', 'parked', 'duplicate'].includes(kind)) raw = waiting.shift();
      await delay(50);
    }
  })();
  for (let life = 1; life <= lives; life += 1) {
    // Not as deep as what is final.
    if (life % 4 === 0) await chain.detour(1 + random.below(6), () => delay(random.below(300)));
    else await delay(random.below(700));
    await delay(random.below(500));
    await relayer.kill();
    await relayer.start();
  }
  await feeding;
  const used = () => Promise.all(senders.map(nonce));
  await expect.poll(used, { timeout: 600_000, interval: 500 }).toEqual(senders.map(() => perSender));
  for (const [i, sender] of senders.entries())
    expect(await mined(sender)).toEqual(raws[i]?.map((raw) => keccak256(raw)));
});
