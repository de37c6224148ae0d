import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { startOwnRedis } from '../src/own-redis.ts';
import { heldReplay, replayed, runReplay } from './replay-process.ts';
import { totalsOf, writeChain } from './synthetic-file.ts';

const options = { seed: 21, blocks: 150, maxTransactions: 4 };
const args = ['--backend', 'redis', '--fork-every', '5'];

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test('without a redis-server on the PATH the one line says how to get one', async () => {
  const cwd = scratchFolder();
  const { code, stderr } = await runReplay({ cwd, env: { ...process.env, PATH: cwd } }, args);
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toContain('--url');
});

// The tests' set-up may have found its Redis elsewhere: at a given address, in Docker.
if (spawnSync('redis-server', ['--version']).status === 0) {
  test('the server ends with a replay that is killed, and the next replay goes on with its data', async () => {
    const cwd = scratchFolder();
    const file = await writeChain(cwd, options);
    const killed = await heldReplay({ cwd }, [file, ...args], 'undone');
    const port = Number(await readFile(join(cwd, '.data/redis/port'), 'utf8'));
    expect(await listens(port)).toBe(true);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const { applied, ...totals } = await replayed({ cwd }, [file, ...args]);
    expect(totals).toMatchObject(totalsOf(options, 5));
    expect(applied).toBeLessThan(options.blocks);
    expect(await listens(port)).toBe(false);
    expect(await replayed({ cwd }, [file, ...args])).toMatchObject({ applied: 0, ...totalsOf(options, 5) });
  });

  test('the second server on a folder waits until the first has ended', async () => {
    const folder = scratchFolder();
    const first = await startOwnRedis(folder);
    const second = startOwnRedis(folder);
    await first[Symbol.asyncDispose]();
    await using server = await second;
    expect(server.url).toBe(first.url);
  });
}
