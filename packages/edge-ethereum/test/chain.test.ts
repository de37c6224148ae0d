import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ethereumChain } from 'mempool-edge-ethereum/chain';
import { loadChainSource } from 'mempool-server';
import { expect, test } from 'vitest';
import { call, edge } from './rpc.ts';
import { startUpstream } from './upstream-process.ts';
import { alice, signed } from './wallet.ts';

const from = alice.address.toLowerCase();

test('the chain of a node moves the pool, forward and back', async () => {
  const upstream = await startUpstream();
  const source = ethereumChain(upstream.url, { pollMs: 20 });
  const mempool = { backend: 'ephemeral', ordering: 'priority' };
  const { url, running } = await edge(mempool, { upstream: upstream.url }, {}, { source });
  const { result: hash } = await call(url, 'eth_sendRawTransaction', await signed({ nonce: 0 }));
  const { result: later } = await call(url, 'eth_sendRawTransaction', await signed({ nonce: 2 }));
  const stage = (which: unknown) => expect.poll(async () => (await running.pool.status(String(which))).stage);
  const queued = () => expect.poll(async () => (await call(url, 'txpool_status')).result);

  await upstream.call('test_block', { hash, from, nonce: '0x0' });
  await stage(hash).toBe('Confirmed');
  await upstream.call('test_undo', 1);
  // Another block in its place.
  await upstream.call('test_block');
  await stage(hash).toBe('Pending');
  // On the other branch a transaction that the pool never had uses the next nonce.
  const foreign = { hash: `0x${'f'.repeat(64)}`, from, nonce: '0x1' };
  await upstream.call('test_block', { hash, from, nonce: '0x0' });
  await queued().toEqual({ pending: '0x0', queued: '0x1' });
  await upstream.call('test_block', foreign);
  await queued().toEqual({ pending: '0x1', queued: '0x0' });
  await stage(later).toBe('Pending');
  expect((await running.pool.tip()).point?.slot).toBe(3);
});

test('a node that lags takes nothing back', async () => {
  const upstream = await startUpstream();
  const source = ethereumChain(upstream.url, { pollMs: 20 });
  const { running } = await edge(undefined, { upstream: upstream.url }, {}, { source });
  await upstream.call('test_block');
  await upstream.call('test_block');
  const slot = async () => (await running.pool.tip()).point?.slot;
  await expect.poll(slot).toBe(2);
  const before = Number(await upstream.call('test_lag', 2));
  await expect.poll(async () => Number(await upstream.call('test_asked'))).toBeGreaterThan(before + 6);
  expect(await slot()).toBe(2);
  await upstream.call('test_lag', 0);
  await upstream.call('test_block');
  await expect.poll(slot).toBe(3);
});

test('points that the node does not have yet are undone only when it has others in their place', async () => {
  const upstream = await startUpstream();
  const hashes = [`0x${'1'.padStart(64, '0')}`, await upstream.call('test_block'), await upstream.call('test_block')];
  const points = hashes.map((hash, slot) => ({ slot, hash: String(hash).slice(2) })).reverse();
  await upstream.call('test_undo', 2);
  const { signal } = new AbortController();
  const cursor = await ethereumChain(upstream.url, { pollMs: 20 }).intersect(points, { signal });
  expect(cursor?.point).toEqual(points[0]);
  const steps = cursor?.steps[Symbol.asyncIterator]();
  const next = steps?.next();
  await upstream.call('test_block');
  const last = await ethereumChain(upstream.url).intersect(points, { signal });
  expect(last?.point).toEqual(points[2]);
  await upstream.call('test_block');
  expect((await next)?.value).toEqual({ kind: 'undo', point: points[2] });
  await steps?.return?.();
});

test('the module in the README is a chain source', async () => {
  const file = fileURLToPath(new URL('chain-example.ts', import.meta.url));
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${readFileSync(file, 'utf8')}\`\`\``);
  expect(await loadChainSource(file)).toHaveProperty('intersect');
});
