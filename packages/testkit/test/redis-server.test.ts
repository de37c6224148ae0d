import { once } from 'node:events';
import { connect } from 'node:net';
import { durable, startRedisServer } from 'mempool-testkit';
import { ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';

async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(`${command}\r\n`);
  const [reply] = await once(socket, 'data');
  socket.destroy();
  return String(reply);
}

test('the server of the whole run has an address', () => {
  expect(new URL(inject('redisUrl')).protocol).toMatch(/^rediss?:$/);
});

test('a server of our own answers, is gone after a kill and comes back on its port with what it wrote', async () => {
  const server = await ownServer(...durable);
  expect(await ask(server.port, 'SET key value')).toBe('+OK\r\n');
  await server.kill();
  await expect(ask(server.port, 'PING')).rejects.toThrow();
  await server.restart();
  expect(await ask(server.port, 'GET key')).toBe('$5\r\nvalue\r\n');
  await server.stop();
  await expect(ask(server.port, 'PING')).rejects.toThrow();
});

test('a server that cannot start is an error, not a wait', async () => {
  await expect(startRedisServer({ dir: scratchFolder(), args: ['--no-such-option', '1'] })).rejects.toThrow();
});
