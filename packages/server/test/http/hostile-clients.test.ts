import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { postJson, submit } from './client.ts';
import { served } from './served.ts';

const wait = '/api/v1/transactions/ab?wait=Finalized&timeout=10m';

/** The whole answer to a request that no client library would send. */
async function sendRaw({ port }: { readonly port: number }, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(request);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

test('waits leave room for other requests, and a server without room says that it lives and is not ready', async () => {
  const server = await served({ backend: 'ephemeral' }, { maxWaits: 3, maxRequests: 2 });
  const leaving = new AbortController();
  const waiting = Array.from({ length: 3 }, () => fetch(server.url + wait, { signal: leaving.signal }));
  await expect.poll(async () => (await fetch(server.url + wait)).status).toBe(503);
  expect((await fetch(`${server.url}/api/v1/tip`)).status).toBe(200);
  const posting = [1, 2].map(() => connect(server.port, '127.0.0.1'));
  const head = 'POST /api/v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cbor\r\n';
  for (const socket of posting) socket.write(`${head}Content-Length: 9\r\n\r\n`);
  await expect.poll(async () => (await fetch(`${server.url}/api/v1/tip`)).status).toBe(503);
  const probes = ['livez', 'readyz'].map(async (probe) => (await fetch(`${server.url}/${probe}`)).status);
  expect(await Promise.all(probes)).toEqual([200, 503]);
  for (const socket of posting) socket.destroy();
  leaving.abort();
  await Promise.allSettled(waiting);
});

test('a client that leaves while it waits is no failure of the server', async () => {
  const logged: string[] = [];
  const server = await served({ backend: 'ephemeral' }, {}, { log: (_level, message) => logged.push(message) });
  const leaving = connect(server.port, '127.0.0.1');
  leaving.write(`GET ${wait} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(leaving, 'connect');
  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
  const route = 'mempool_http_requests_total{route="/api/v1/transactions/{hash}",method="GET",status=';
  await fetch(`${server.url}${wait.replace('10m', '1ms')}`);
  leaving.destroy();
  await expect.poll(metrics).toContain(`${route}"499"} 1`);
  expect(await metrics()).not.toContain(`${route}"500"}`);
  expect(logged).not.toContain('a request failed');
});

test('a request with a broken Host or path is answered by a problem', async () => {
  const server = await served();
  const heads = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/1.1\r\nHost:', 'HTTP/1.1\r\nHost: localhost@evil.example'];
  const requests = [...heads.map((head) => `GET /livez ${head}`), 'OPTIONS * HTTP/1.1\r\nHost: localhost'];
  for (const request of requests) {
    const answer = await sendRaw(server, `${request}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json.*ERR_SERVER_REQUEST/s);
  }
});

test('one bad element of a long list is named', async () => {
  const { url } = await served();
  const send = async (body: unknown) => (await postJson(`${url}/api/v1/transactions`, body)).json();
  const good = { payload: 'AAAA' };
  const list = Array.from({ length: 1_000 }, (_, i) => (i === 500 ? { payload: 7 } : good));
  expect(await send(list)).toMatchObject({ status: 400, field: '500.payload' });
  expect(await send({})).toMatchObject({ status: 400, field: 'payload' });
  expect(await send([...list, good])).toMatchObject({ detail: expect.stringContaining('1000') });
  const drop = await postJson(`${url}/api/v1/transactions/ab/drop`, { reason: { app: 7 } });
  expect(await drop.json()).toMatchObject({ field: 'reason.app' });
  expect(await (await fetch(`${url}/api/v1/usage`)).json()).toMatchObject({ pending: 0 });
});

test('large bodies that do not end take bounded memory, and small ones are served meanwhile', async () => {
  const bytes = 128 * 1024;
  const server = await served({ backend: 'ephemeral' }, { maxBodyBytes: bytes });
  const head = `POST /api/v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cbor\r\n`;
  const stalled = Array.from({ length: 34 }, () => connect(server.port, '127.0.0.1'));
  const refused = Promise.race(stalled.map((socket) => once(socket, 'data')));
  for (const socket of stalled) socket.write(`${head}Content-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes - 1)}`);
  expect(String(await refused)).toMatch(/^HTTP\/1\.1 503 .*ERR_SERVER_BUSY/s);
  expect((await submit(server, 'small')).status).toBe(201);
  for (const socket of stalled) socket.destroy();
  await expect.poll(async () => (await submit(server, 'x'.repeat(bytes))).status).not.toBe(503);
});

test('an answer of a stopping server says that its connection ends', async () => {
  const server = await served();
  const socket = connect(server.port, '127.0.0.1');
  socket.write('POST /api/v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cbor\r\n');
  socket.write('Content-Length: 2\r\nExpect: 100-continue\r\n\r\n');
  await once(socket, 'data');
  const closing = server.close();
  socket.write('ab');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 201 .*connection: close/is);
  await closing;
});

test('a problem names what is wrong as the client sent it', async () => {
  const { url } = await served();
  const headers = { 'idempotency-key': 'one' };
  await submit({ url }, 'a', headers);
  const wrong = async (response: Promise<Response>) => (await response).json();
  const problem = (field: string) => ({ status: 400, field, detail: expect.stringMatching(`^${field} must`) });
  expect(await wrong(submit({ url }, 'b', headers))).toMatchObject(problem('Idempotency-Key'));
  const page = fetch(`${url}/api/v1/transactions?stage=final&after=zz`);
  expect(await wrong(page)).toMatchObject(problem('after'));
});

test('a server whose SQLite file is deleted says so, and that it must be restarted', async () => {
  const path = `${scratchFolder()}/pool.sqlite`;
  const server = await served({ backend: 'sqlite', path });
  const statusOf = async (probe: string): Promise<number> => (await fetch(`${server.url}/${probe}`)).status;
  expect(await statusOf('livez')).toBe(200);
  rmSync(path);
  await expect.poll(() => statusOf('livez'), { timeout: 5_000 }).toBe(503);
  expect(await statusOf('readyz')).toBe(503);
  for (const answer of [await fetch(`${server.url}/api/v1/tip`), await submit(server, 'lost')])
    expect(await answer.json()).toMatchObject({
      ...{ status: 500, code: 'ERR_MEMPOOL_INCOMPATIBLE' },
      detail: 'The store was deleted or replaced, or another version wrote it.',
    });
});
