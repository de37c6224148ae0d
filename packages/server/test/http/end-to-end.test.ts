import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createServer, loadServerConfig, startServer } from 'mempool-server';
import { expect, test } from 'vitest';
import { firstEvents, postJson, submit } from './client.ts';
import { ownPool, served } from './served.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('a transaction is submitted, told, waited for and found', async () => {
  const server = await served();
  const api = `${server.url}/api/v1`;
  const events = await fetch(`${api}/events`);
  const received = await submit(server, 'one');
  expect(received.status).toBe(201);
  const hash = sha256('one');
  expect(await received.json()).toMatchObject({ kind: 'received', hash, stage: 'Pending' });
  expect((await submit(server, 'one')).status).toBe(200);
  expect(await (await fetch(`${api}/transactions/${hash}`)).json()).toMatchObject({
    hash,
    stage: 'Pending',
    attempts: 0,
  });
  const waiting = fetch(`${api}/transactions/${hash}?wait=Confirmed&timeout=20s`);
  await server.pool.confirm({ point: { slot: 1, hash: sha256('block') }, seen: [hash], unseen: [] });
  expect(await (await waiting).json()).toMatchObject({ stage: 'Confirmed', waited: 'reached' });
  const told = await firstEvents(events, 3);
  expect(told.map(({ event }) => event)).toEqual(['transaction', 'block', 'transaction']);
  const resumed = await fetch(`${api}/events`, { headers: { 'last-event-id': told[1]?.id ?? '' } });
  expect(await firstEvents(resumed, 1)).toEqual([told[2]]);
  expect(await (await fetch(`${api}/tip`)).json()).toMatchObject({ point: { slot: 1 }, tick: 1 });
  expect(await (await fetch(`${api}/usage`)).json()).toMatchObject({ pending: 0, confirmed: 1 });
  expect(await (await fetch(`${server.url}/livez`)).text()).toBe('ok\n');
  expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ ready: true, leader: null });
});

test('a JSON submission may give its hash; a list gets an outcome for each', async () => {
  const server = await served();
  const url = `${server.url}/api/v1/transactions`;
  const payload = Buffer.from('two').toString('base64');
  const one = await postJson(url, { hash: `0x${'AB'.repeat(32)}`, payload, payloadType: 6 });
  expect([one.status, await one.json()]).toMatchObject([201, { hash: 'ab'.repeat(32) }]);
  const list = await postJson(url, [{ payload }, { payload }]);
  expect(await list.json()).toMatchObject({
    items: [{ kind: 'received', hash: sha256('two') }, { kind: 'duplicate' }],
  });
});

test('a refusal says whether the transaction may be accepted once the pool has changed', async () => {
  const server = await served({
    backend: 'ephemeral',
    ordering: 'priority',
    maxParked: 0,
    maxTxGas: 10,
    maxTxBytes: 100,
  });
  const url = `${server.url}/api/v1/transactions`;
  const submitted = async (name: string, verdict: object, payload = Buffer.from(name).toString('base64')) => {
    const { status, ...answer } = (await (await postJson(url, { payload, verdict })).json()) as {
      readonly status?: number;
      readonly outcome?: object;
    };
    return [status, answer.outcome];
  };
  expect(await submitted('gas', { gas: 11 })).toMatchObject([422, { kind: 'limit', limit: 'maxTxGas' }]);
  expect(await submitted('early', { requires: ['a'] })).toMatchObject([409, { kind: 'limit', limit: 'maxParked' }]);
  expect(await submitted('large', {}, Buffer.alloc(101).toString('base64'))).toMatchObject([
    413,
    { kind: 'too-large' },
  ]);
  await server.pool.setLimits({ maxParked: 10 });
  expect(await submitted('early', { requires: ['a'], provides: ['b'] })).toEqual([undefined, undefined]);
  expect(await submitted('loop', { requires: ['b'], provides: ['a'] })).toMatchObject([409, { kind: 'cycle' }]);
});

test('the floor is a number as text, and moves what is below it', async () => {
  const server = await served({ backend: 'ephemeral', ordering: 'priority', minPriority: 5n });
  const api = `${server.url}/api/v1`;
  const payload = Buffer.from('poor').toString('base64');
  expect(await (await postJson(`${api}/transactions`, { payload, verdict: { priority: '4' } })).json()).toMatchObject({
    kind: 'received',
    parked: true,
  });
  expect(await (await fetch(`${api}/limits`)).json()).toMatchObject({ minPriority: '5' });
  expect(await (await fetch(`${api}/usage`)).json()).toMatchObject({ load: { ready: 0, belowFloor: 1 } });
  const change = async (minPriority: unknown): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${api}/limits`, { method: 'PATCH', headers, body: JSON.stringify({ minPriority }) })).status;
  };
  expect([await change('9223372036854775808'), await change(4), await change('-4')]).toEqual([400, 400, 200]);
  expect(await (await fetch(`${api}/usage`)).json()).toMatchObject({ load: { ready: 1, belowFloor: 0 } });
});

test('a connection that has sent nothing does not hold up the end', async () => {
  const server = await served();
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  const gone = once(socket, 'close');
  await Promise.all([server.close(), gone]);
}, 5_000);

test('the OpenAPI document is valid, and there is a page of it', async () => {
  const server = await createServer({ pool: await ownPool() });
  const document = server.openapi();
  expect(await new Validator().validate(document as Record<string, unknown>)).toMatchObject({ valid: true });
  const page = await server.fetch(new Request('http://localhost/docs'));
  expect(await page.text()).toContain('<code>POST /api/v1/transactions</code>');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('a part in the election without a chain to follow is refused', async () => {
  const config = await loadServerConfig({ mempool: { backend: 'ephemeral' }, election: { enabled: true } });
  await expect(startServer(config)).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_CONFIG',
    details: { field: 'election.enabled' },
  });
});

test('a server without an installed dashboard says how to install it, and one that shall have none says nothing', async () => {
  const pool = await ownPool();
  const answer = async (dashboard: boolean): Promise<readonly [number, string | null]> => {
    const { fetch: send } = await createServer({ pool }, { dashboard });
    const { status, headers } = await send(new Request('http://localhost/'));
    return [status, headers.get('content-type')];
  };
  expect(await answer(true)).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await answer(false)).toEqual([404, 'application/problem+json']);
});
