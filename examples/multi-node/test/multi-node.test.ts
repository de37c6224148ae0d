import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openMempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import { expect, inject, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const command = ['--conditions=mempool-source', main];

async function run(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...command, ...args]);
  return stdout;
}

test('three processes on one pool see the same, run after run', async () => {
  const [url, pool] = [inject('redisUrl'), `multi-node-${randomUUID()}`];
  for (const runs of [1, 2]) {
    await run('--url', url, '--pool', pool);
    await using mempool = await openMempool({ backend: 'redis', url, pool }, { redis });
    expect(await mempool.usage()).toMatchObject({ pending: 0, acknowledged: 0, confirmed: 0, logged: 180 * runs });
    expect(await mempool.tip()).toMatchObject({ tick: 8 * runs });
  }
});

test('one process alone does as well', async () => {
  const pool = `multi-node-${randomUUID()}`;
  expect(await run('--url', inject('redisUrl'), '--pool', pool, '--nodes', '1')).toContain('node 0');
});

test.each([
  ['an unknown option', ['--node', '3']],
  ['no nodes', ['--nodes', '0']],
  ['an address where nothing listens', ['--url', 'redis://127.0.0.1:1']],
])('%s is one line and exit code 1', async (_, args) => {
  const error: unknown = await run(...args).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 1, stderr: expect.stringMatching(/^multi-node: .+\n$/) });
});

test('a node that fails ends the run for all of them', async () => {
  const [url, pool] = [inject('redisUrl'), `multi-node-${randomUUID()}`];
  await using mempool = await openMempool({ backend: 'redis', url, pool }, { redis });
  // No block can follow this one, as the node that follows the chain will find.
  const point = { slot: Number.MAX_SAFE_INTEGER, hash: 'ab'.repeat(32) };
  await mempool.confirm({ point, seen: [], unseen: [] });
  await expect(run('--url', url, '--pool', pool)).rejects.toMatchObject({ code: 1 });
});
