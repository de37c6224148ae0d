import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startRedisServer } from './server.ts';

async function ping(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('PING\r\n');
  const [reply] = await once(socket, 'data');
  socket.destroy();
  return String(reply);
}

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'mempool-redis-test-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return dir;
}

test('the server of the whole run has an address', () => {
  expect(new URL(inject('redisUrl')).protocol).toMatch(/^rediss?:$/);
});

test('a server of our own answers, is gone after a kill and comes back on its port', async () => {
  const dir = await folder();
  const first = await startRedisServer({ dir });
  expect(await ping(first.port)).toBe('+PONG\r\n');
  await first.kill('SIGKILL');
  const second = await startRedisServer({ dir, port: first.port });
  expect(await ping(second.port)).toBe('+PONG\r\n');
  await second.stop();
  await expect(ping(second.port)).rejects.toThrow();
});

test('a server that cannot start is an error, not a wait', async () => {
  await expect(startRedisServer({ dir: await folder(), args: ['--no-such-option', '1'] })).rejects.toThrow();
});
