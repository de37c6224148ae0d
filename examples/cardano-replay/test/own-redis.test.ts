import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { useOwnRedis } from '../src/own-redis.ts';
import { heldReplay, replayed, reportOf, runReplay } from './replay-process.ts';
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

/** A folder whose server, should the test fail before its end, is stopped. */
async function folderOfServer(): Promise<string> {
  const cwd = scratchFolder();
  onTestFinished(async () => {
    await (await useOwnRedis(join(cwd, '.data/redis')))[Symbol.asyncDispose]();
  });
  return cwd;
}

function portIn(cwd: string): Promise<string> {
  return readFile(join(cwd, '.data/redis/port'), 'utf8');
}

/** How many servers there have been, by what they wrote down themselves. */
async function startsOf(cwd: string): Promise<number> {
  const log = await readFile(join(cwd, '.data/redis/redis.log'), 'utf8');
  return log.split('Ready to accept connections').length - 1;
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
  test('a server is started for a replay, kept by one that is killed, and stopped by the next', async () => {
    const cwd = await folderOfServer();
    const file = await writeChain(cwd, options);
    const killed = await heldReplay({ cwd }, [file, ...args], 'undone');
    killed.child.kill('SIGKILL');
    await killed.ended;
    const port = Number(await portIn(cwd));
    expect(await listens(port)).toBe(true);

    const resumed = await runReplay({ cwd }, [file, ...args, '--json']);
    expect(reportOf(resumed)).toMatchObject(totalsOf(options, 5));
    expect(await startsOf(cwd)).toBe(1);
    expect(await listens(port)).toBe(false);

    expect(await replayed({ cwd }, [file, ...args])).toMatchObject({ applied: 0, ...totalsOf(options, 5) });
    expect(await readdir(join(cwd, '.data/redis'))).toEqual(['appendonlydir', 'redis.log']);
  });

  test('two replays at once share a server, and the last one stops it', async () => {
    const cwd = await folderOfServer();
    const [first, second] = [options, { ...options, seed: 22, blocks: 100 }];
    const files = [await writeChain(cwd, first), await writeChain(cwd, second)];
    const last = await heldReplay({ cwd }, [files[0] ?? '', ...args, '--json'], 'undone');
    expect(await replayed({ cwd }, [files[1] ?? '', ...args])).toMatchObject(totalsOf(second, 5));
    const port = Number(await portIn(cwd));
    expect(await listens(port)).toBe(true);
    last.child.stdin?.end();
    expect(reportOf(await last.ended)).toMatchObject(totalsOf(first, 5));
    expect(await startsOf(cwd)).toBe(1);
    expect(await listens(port)).toBe(false);
    expect(await readdir(join(cwd, '.data/redis'))).toEqual(['appendonlydir', 'redis.log']);
  });

  test('a server whose folder was removed is stopped all the same', async () => {
    const folder = join(scratchFolder(), 'redis');
    const server = await useOwnRedis(folder);
    await rm(folder, { recursive: true });
    await server[Symbol.asyncDispose]();
    expect(await listens(Number(new URL(server.url).port))).toBe(false);
  });

  test('a server that refuses to end is told of, and stays', async () => {
    const folder = scratchFolder();
    const server = await useOwnRedis(folder);
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    await admin.call('ACL', 'SETUSER', 'default', '-shutdown');
    await expect(server[Symbol.asyncDispose]()).rejects.toThrow();
    await admin.call('ACL', 'SETUSER', 'default', '+shutdown');
    const again = await useOwnRedis(folder);
    expect(again.url).toBe(server.url);
    await again[Symbol.asyncDispose]();
    expect(await listens(Number(new URL(server.url).port))).toBe(false);
  });

  test("a port that another folder's server has by now is left alone", async () => {
    await using theirs = await useOwnRedis(scratchFolder());
    const folder = scratchFolder();
    await writeFile(join(folder, 'port'), new URL(theirs.url).port);
    const ours = await useOwnRedis(folder);
    expect(ours.url).not.toBe(theirs.url);
    await ours[Symbol.asyncDispose]();
    expect(await listens(Number(new URL(theirs.url).port))).toBe(true);
  });
}
