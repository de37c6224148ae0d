import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { checksumAddress, toHex } from 'viem';
import { expect, test } from 'vitest';
import { call, edge } from './rpc.ts';
import { alice, bob, signed } from './wallet.ts';

const point = (slot: number) => ({ slot, hash: toHex(slot, { size: 32 }).slice(2) });

test.for([
  ['whole', 0],
  // The transaction with nonce 5 is damaged.
  ['damaged', 1],
] as const)('nonces outlive the server: a %s pool', async ([, damaged]) => {
  const path = join(scratchFolder(), 'pool.sqlite');
  const mempool = { backend: 'sqlite', path, ordering: 'priority', finalizeThreshold: 2 };
  const { url, running } = await edge(mempool);
  const hashes: string[] = [];
  for (const nonce of [0, 1, 2, 3, 5])
    hashes.push(String((await call(url, 'eth_sendRawTransaction', await signed({ nonce }))).result));
  await call(url, 'eth_sendRawTransaction', await signed({ nonce: 0 }, bob));
  const names = hashes.map((hash) => hash.slice(2));
  await running.pool.confirm({ point: point(1), seen: names.slice(0, 1), unseen: [] });
  await running.pool.confirm({ point: point(2), seen: names.slice(1, 2), unseen: [] });
  const bobs = { [checksumAddress(bob.address)]: { 0: expect.anything() } };
  await running.close();
  if (damaged > 0) {
    using file = new DatabaseSync(path);
    file.prepare('UPDATE tx SET checksum = checksum - 1 WHERE hash = unhex(?)').run(String(names[4]));
  }

  const again = await edge(mempool);
  const nonceOf = async (tag: string): Promise<unknown> =>
    (await call(again.url, 'eth_getTransactionCount', alice.address, tag)).result;
  expect(await nonceOf('latest')).toBe('0x2');
  expect(await nonceOf('pending')).toBe('0x4');
  expect((await call(again.url, 'txpool_content')).result).toMatchObject({
    pending: { ...bobs, [checksumAddress(alice.address)]: { 2: { hash: hashes[2] }, 3: { hash: hashes[3] } } },
    queued: damaged > 0 ? {} : { [checksumAddress(alice.address)]: { 5: { from: alice.address.toLowerCase() } } },
  });
  expect((await call(again.url, 'eth_getTransactionByHash', hashes[1])).result).toMatchObject({
    blockNumber: '0x2',
    blockHash: `0x${point(2).hash}`,
  });
  expect((await call(again.url, 'eth_getBlockByNumber', '0x2', false)).result).toMatchObject({
    hash: `0x${point(2).hash}`,
    transactions: [hashes[1]],
  });
  // It was final before the restart.
  expect((await again.running.pool.status(names[0] ?? '')).stage).toBe('Finalized');
  expect((await call(again.url, 'eth_getTransactionReceipt', hashes[0])).result).toMatchObject({ blockNumber: '0x1' });
  // A fork takes both blocks back, also what was final.
  await again.running.pool.rollback('origin');
  expect([await nonceOf('latest'), await nonceOf('pending')]).toEqual(['0x0', '0x4']);
});
