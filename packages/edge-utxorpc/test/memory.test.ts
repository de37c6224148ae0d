import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Code } from '@connectrpc/connect';
import type { RunningServer } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { served } from '../../server/test/http/served.ts';
import { clientOf, edgeUrl, fails } from './clients.ts';

test('answers that clients do not read are limited together', async () => {
  const server = await served({ backend: 'ephemeral', maxTxBytes: 2 ** 20 }, {}, {}, { utxorpc: { port: 0 } });
  const hashes = Array.from({ length: 30 }, (_, i) => i.toString(16).padStart(64, '0'));
  for (const hash of hashes) await server.pool.receive([{ hash, payload: Buffer.alloc(2 ** 20) }]);
  const client = clientOf(edgeUrl(server), 'Connect over HTTP/1.1');
  const slow: Socket[] = [];
  for (let i = 0; i < 4; i++) slow.push(await slowReader(server));
  expect(await fails(client.readMempool({}))).toMatchObject({ code: Code.Unavailable });
  for (const socket of slow) socket.destroy();
  await expect.poll(async () => (await client.readMempool({}).catch(() => null))?.items.length).toBe(30);
});

/** A client that asks for the pool, and reads only the first bytes of the answer. */
async function slowReader(server: RunningServer): Promise<Socket> {
  const { hostname, port } = new URL(edgeUrl(server));
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const path = '/utxorpc.v1alpha.submit.SubmitService/ReadMempool';
  const headers = 'Host: localhost\r\nContent-Type: application/proto\r\nContent-Length: 0';
  socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}
