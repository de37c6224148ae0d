import { once } from 'node:events';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createServer, type RunningServer, type Scope, scopes } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { jsonOf, postJson, submit } from './client.ts';
import type { Document } from './fuzz.ts';
import { bearer as bearing, ownPool, served, tokenOf } from './served.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A request with any header: `fetch` sets `Host` by itself. */
async function raw(url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  const request = send(url, { headers, method: body === undefined ? 'GET' : 'POST' });
  request.end(body);
  const [response] = await once(request, 'response');
  return { status: response.statusCode, body: JSON.parse(await text(response)) };
}

const tokenWith = (name: string, scopes: readonly Scope[]) => tokenOf(name, scopes, { text: `secret-of-${name}` });
const bearer = (name: string) => bearing(`secret-of-${name}`);
const tokens = scopes.map((scope) => tokenWith(scope, [scope]));

test('a Host or Origin that is not the server’s own is refused', async () => {
  const { url, port } = await served(
    { backend: 'ephemeral' },
    { allowedHosts: ['pool.example'], corsOrigins: ['https://wallet.example'] },
  );
  const tip = `${url}/api/v1/tip`;
  const own = `127.0.0.1:${port}`;
  const hosts = {
    [own]: 200,
    [`localhost:${port}`]: 200,
    '[::1]': 200,
    'pool.example:80': 200,
    'evil.example': 421,
    '10.0.0.1': 421,
    [`127.0.0.1.evil.example:${port}`]: 421,
  };
  for (const [host, status] of Object.entries(hosts))
    expect([host, (await raw(tip, { host })).status]).toEqual([host, status]);
  const origins = {
    [`http://${own}`]: 200,
    'https://wallet.example': 200,
    'https://evil.example': 403,
    null: 403,
    [`http://${own}.evil.example`]: 403,
  };
  for (const [origin, status] of Object.entries(origins))
    expect([origin, (await raw(tip, { host: own, origin })).status]).toEqual([origin, status]);
  const preflight = await fetch(tip, { method: 'OPTIONS', headers: { origin: 'https://wallet.example' } });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
    204,
    'https://wallet.example',
  ]);
  expect((await raw(tip, { host: 'evil.example' })).body).toMatchObject({ code: 'ERR_SERVER_HOST', status: 421 });
});

test('each endpoint takes only tokens with its scope', async () => {
  const { url } = await served({ backend: 'ephemeral' }, { tokens });
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { description }] of Object.entries(methods)) {
      const allowed = /Scope: ([^.]*)\./.exec(description)?.[1]?.split(' or ') ?? null;
      const options = { method: method.toUpperCase(), headers: { 'content-type': 'application/json' } };
      const target = url + path.replace(/\{\w+\}/, 'aa');
      if (allowed === null) continue;
      expect([path, (await fetch(target, options)).status]).toEqual([path, 401]);
      for (const { name } of tokens) {
        if (path.endsWith('/events') && allowed.includes(name)) continue;
        const answer = await fetch(target, { ...options, headers: { ...options.headers, ...bearer(name) } });
        const isRefused = (await answer.text()).includes('ERR_SERVER_SCOPE');
        expect([path, name, isRefused]).toEqual([path, name, !allowed.includes(name)]);
      }
    }
  const wrong = await fetch(`${url}/api/v1/tip`, { headers: { authorization: 'Bearer secret-of-nobody' } });
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

test('without a token a server off loopback does not start', async () => {
  await expect(served({ backend: 'ephemeral' }, { host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_CONFIG',
  });
  const { port } = await served({ backend: 'ephemeral' }, { host: '0.0.0.0', tokens });
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/tip`)).status).toBe(401);
});

test('each token has operation ids of its own, and a repeat answers as the first call did', async () => {
  const server = await served(
    { backend: 'ephemeral' },
    { tokens: [tokenWith('a', ['submit']), tokenWith('b', ['submit'])] },
  );
  const key = { 'idempotency-key': 'the-first' };
  const [first, again, other, reused] = [
    await submit(server, 'one', { ...key, ...bearer('a') }),
    await submit(server, 'one', { ...key, ...bearer('a') }),
    await submit(server, 'two', { ...key, ...bearer('b') }),
    await submit(server, 'three', { ...key, ...bearer('a') }),
  ];
  expect([first.status, again.status, other.status, reused.status]).toEqual([201, 201, 201, 400]);
  expect(await again.json()).toEqual(await first.json());
  expect(await reused.json()).toMatchObject({ code: 'ERR_MEMPOOL_INVALID', field: 'Idempotency-Key' });
});

test('an administrative call is written to the log, and no secret is', async () => {
  const entries: unknown[] = [];
  const log = (level: string, message: string, fields = {}) => entries.push({ level, message, ...fields });
  const server = await served({ backend: 'ephemeral' }, { tokens }, { log });
  const { hash } = await jsonOf(await submit(server, 'one', bearer('submit')));
  const url = `${server.url}/api/v1/transactions/${hash}/drop`;
  expect((await postJson(url, { reason: { app: 'withdrawn' } }, bearer('admin'))).status).toBe(200);
  await postJson(url, { reason: 'stale' }, bearer('read'));
  await postJson(url, { reason: 'stale' }, { authorization: 'Bearer secret-of-nobody' });
  const audit = {
    level: 'info',
    message: 'audit',
    token: 'admin',
    method: 'POST',
    path: new URL(url).pathname,
    status: 200,
  };
  expect(entries.filter((each) => (each as typeof audit).message === 'audit')).toMatchObject([audit]);
  expect(JSON.stringify(entries)).not.toContain('secret-of');
});

/** What a bad request is answered with. */
const bad: Readonly<
  Record<string, readonly [path: string, init: RequestInit, status: number, code: string, field?: string]>
> = {
  'malformed JSON': ['/transactions', { body: '{"payload":' }, 400, 'ERR_SERVER_JSON'],
  'JSON that is not UTF-8': ['/transactions', { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, 'ERR_SERVER_JSON'],
  'no content type': ['/transactions', { body: new Uint8Array([1]), headers: {} }, 415, 'ERR_SERVER_CONTENT_TYPE'],
  'a plain form': ['/sweep', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'ERR_SERVER_CONTENT_TYPE'],
  'bytes where JSON is due': [
    '/sweep',
    { body: '{}', headers: { 'content-type': 'application/octet-stream' } },
    415,
    'ERR_SERVER_CONTENT_TYPE',
  ],
  'an unknown field': ['/transactions', { body: '{"payload":"","fee":1}' }, 400, 'ERR_SERVER_REQUEST', 'fee'],
  'an unknown parameter': ['/transactions?fee=1', { body: '{"payload":""}' }, 400, 'ERR_SERVER_REQUEST', 'fee'],
  'a parameter given twice': [
    '/transactions?stage=pending&stage=final',
    { method: 'GET' },
    400,
    'ERR_SERVER_REQUEST',
    'stage',
  ],
  'a field of a list': [
    '/transactions',
    { body: '[{"payload":""},{"payload":"?"}]' },
    400,
    'ERR_SERVER_REQUEST',
    '1.payload',
  ],
  'a priority that is a number': [
    '/transactions',
    { body: '{"payload":"","verdict":{"priority":1}}' },
    400,
    'ERR_SERVER_REQUEST',
    'verdict.priority',
  ],
  'a cursor that is none': [
    '/transactions?stage=pending&after=x',
    { method: 'GET' },
    400,
    'ERR_MEMPOOL_INVALID',
    'after',
  ],
  'a cursor of another list': [
    '/transactions?stage=pending&after=e1.x',
    { method: 'GET' },
    400,
    'ERR_MEMPOOL_INVALID',
    'after',
  ],
  'a cursor of an earlier pool': [
    '/transactions?stage=pending&after=s1.x',
    { method: 'GET' },
    410,
    'ERR_MEMPOOL_CURSOR',
    'after',
  ],
  'a bad event cursor': [
    '/events',
    { method: 'GET', headers: { 'last-event-id': '1' } },
    400,
    'ERR_MEMPOOL_INVALID',
    'after',
  ],
  'a bad hash': ['/transactions/xyz', { method: 'GET' }, 400, 'ERR_MEMPOOL_INVALID', 'hash'],
  'an unknown hash': ['/transactions/aa', { method: 'GET' }, 404, 'ERR_SERVER_NOT_FOUND'],
  'an unknown path': ['/nothing', { method: 'GET' }, 404, 'ERR_SERVER_NOT_FOUND'],
  'another method': ['/tip', { method: 'DELETE' }, 405, 'ERR_SERVER_METHOD'],
  'a verb of priority pools': ['/stale?height=1', { method: 'GET' }, 422, 'ERR_MEMPOOL_UNSUPPORTED'],
  'a hidden payload': ['/transactions/aa/payload', { method: 'GET' }, 403, 'ERR_SERVER_PAYLOADS'],
  'a long wait': [
    '/transactions/aa?wait=Confirmed&timeout=11m',
    { method: 'GET' },
    400,
    'ERR_SERVER_REQUEST',
    'timeout',
  ],
  'an operation id that is none': [
    '/flush',
    { body: '{}', headers: { 'content-type': 'application/json', 'idempotency-key': 'é' } },
    400,
    'ERR_SERVER_REQUEST',
    'Idempotency-Key',
  ],
};

test('what is wrong with a request is said as problem+json, with code and field', async () => {
  const { url } = await served();
  for (const [what, [path, init, status, code, field]] of Object.entries(bad)) {
    const json = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: init.method === 'GET' ? {} : json,
      ...init,
    });
    expect([what, response.headers.get('content-type')]).toEqual([what, 'application/problem+json']);
    const { detail, ...body } = await jsonOf(response);
    expect([what, response.status, body.status, body.code, body.field]).toEqual([what, status, status, code, field]);
    expect(detail).toMatch(/\w/);
  }
});

test('a priority pool takes big numbers as text and gives them back', async () => {
  const { url } = await served({ backend: 'ephemeral', ordering: 'priority' });
  const priority = String(2n ** 63n - 1n);
  const one = await postJson(`${url}/api/v1/transactions`, { payload: 'YQ==', verdict: { priority } });
  expect(one.status).toBe(201);
  const best = await jsonOf(await fetch(`${url}/api/v1/transactions?stage=best`));
  expect(best.items).toMatchObject([{ priority }]);
});

/** Sends a body in chunks, without a length, until the answer comes. */
async function sendChunked({ port }: RunningServer, chunks: number, bytes: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /api/v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const answered = once(socket, 'data');
  for (let i = 0; i < chunks; i++) socket.write(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`);
  socket.write('0\r\n\r\n');
  const [answer] = await answered;
  socket.destroy();
  return String(answer);
}

test('a body that is too large is refused, with and without a length', async () => {
  const server = await served({ backend: 'ephemeral' }, { maxBodyBytes: 1_000 });
  const large = await submit(server, 'x'.repeat(1_001));
  expect([large.status, (await jsonOf(large)).code]).toEqual([413, 'ERR_SERVER_BODY_TOO_LARGE']);
  expect(await sendChunked(server, 11, 100)).toContain('HTTP/1.1 413');
  expect(await sendChunked(server, 10, 100)).toContain('HTTP/1.1 201');
  expect((await submit(server, 'y'.repeat(1_000))).status).toBe(201);
  const tooLarge = await served({ backend: 'ephemeral', maxTxBytes: 10 });
  expect(await (await submit(tooLarge, 'x'.repeat(11))).json()).toMatchObject({
    status: 413,
    outcome: { kind: 'too-large' },
  });
});

test('requests beyond the rate are refused until the next second, each token for itself', async () => {
  const { url } = await served({ backend: 'ephemeral' }, { tokens, ratePerSecond: 3 });
  const ask = (name: string) => fetch(`${url}/api/v1/tip`, { headers: bearer(name) });
  const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await ask('read')).status));
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(6);
  const refused = await ask('read');
  if (refused.status === 429) expect(refused.headers.get('retry-after')).toBe('1');
  expect(statuses).toContain(429);
  expect((await ask('chain')).status).toBe(403);
});

test('each transaction of a list counts against the rate', async () => {
  const { url, pool } = await served({ backend: 'ephemeral' }, { ratePerSecond: 1 });
  const list = ['AQ==', 'Ag=='].map((payload) => ({ payload }));
  const submitList = () => postJson(`${url}/api/v1/transactions`, list);
  expect((await submitList()).status).toBe(200);
  const refused = await submitList();
  // One request at once and one owed, which must be there again before the next.
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  expect((await pool.usage()).lastSeq).toBe(2);
});

test('a token whose hash is none is refused at the start', async () => {
  const pool = await ownPool();
  const bad = { ...tokenWith('a', ['read']), hash: 'secret-of-a' };
  await expect(createServer({ pool }, { tokens: [bad] })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CONFIG' });
});

test('the handler mounts into another application and into any fetch host', async () => {
  const { fetch: answer } = await createServer({ pool: await ownPool() });
  expect((await answer(new Request('http://localhost/api/v1/tip'))).status).toBe(200);
  expect((await answer(new Request('http://evil.example/api/v1/tip'))).status).toBe(421);
  const app = new Hono().mount('/pool', answer);
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await (await fetch(`http://127.0.0.1:${port}/pool/api/v1/tip`)).json()).toMatchObject({ tick: 0 });
});
