import { createHash } from 'node:crypto';
import { Comet38Client, HttpBatchClient } from '@cosmjs/tendermint-rpc';
import type { RunningServer, ServerOptions } from 'mempool-server';
import { describe, expect, test } from 'vitest';
import { bearer, served, tokenOf } from '../../server/test/http/served.ts';

function cometbft(mempool?: object, server: Partial<ServerOptions> = {}, fields: object = {}): Promise<RunningServer> {
  return served(mempool, server, {}, { cometbft: { port: 0, ...fields } });
}

function urlOf({ edges }: RunningServer): string {
  return edges.cometbft as string;
}

function hashOf(tx: Uint8Array): string {
  return createHash('sha256').update(tx).digest('hex').toUpperCase();
}

/** Posts a body, by default as JSON. Returns status and answer. */
async function post(server: RunningServer, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${urlOf(server)}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  return [response.status, await parsed(response)] as const;
}

async function get(server: RunningServer, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${urlOf(server)}${path}`, { headers });
  return [response.status, await parsed(response)] as const;
}

async function parsed(response: Response): Promise<unknown> {
  const text = await response.text();
  return response.headers.get('content-type') === 'application/json' && text !== '' ? JSON.parse(text) : text;
}

function call(method: string, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const fault = (code: number, message: string, data?: unknown): object => ({
  ...{ code, message },
  ...(data === undefined ? {} : { data }),
});

describe.each(['fifo', 'priority'] as const)('the client of CosmJS on a %s pool', (ordering) => {
  test('connects, broadcasts, and counts what waits until a block has it', async () => {
    const server = await cometbft({ backend: 'ephemeral', ordering }, {}, { chainId: 'test-1' });
    const client = await Comet38Client.connect(urlOf(server));
    expect(await client.health()).toBeNull();
    const { nodeInfo, syncInfo } = await client.status();
    expect(nodeInfo).toMatchObject({ network: 'test-1', version: expect.stringMatching(/^0\.38\./) });
    expect(syncInfo).toMatchObject({ latestBlockHeight: 0, catchingUp: false });
    const [a, b] = [bytes('a=1'), bytes('bb=2')];
    const sent = await client.broadcastTxSync({ tx: a });
    expect(sent).toMatchObject({ code: 0, log: '' });
    expect(Buffer.from(sent.hash).toString('hex').toUpperCase()).toBe(hashOf(a));
    expect(
      Buffer.from((await client.broadcastTxAsync({ tx: b })).hash)
        .toString('hex')
        .toUpperCase(),
    ).toBe(hashOf(b));
    await expect(client.broadcastTxSync({ tx: a })).rejects.toThrow('tx already exists in cache');
    expect(await client.numUnconfirmedTxs()).toEqual({ total: 2, totalBytes: 7 });
    const point = { slot: 5, hash: '01'.repeat(32) };
    await server.pool.confirm({ point, seen: [hashOf(a)], unseen: [] });
    expect(await client.numUnconfirmedTxs()).toEqual({ total: 1, totalBytes: 4 });
    expect((await client.status()).syncInfo.latestBlockHeight).toBe(5);
    await server.pool.rollback('origin');
    expect(await client.numUnconfirmedTxs()).toEqual({ total: 2, totalBytes: 7 });
    await expect(client.block(1)).rejects.toThrow('ask a node');
  });
});

test('a client that sends batches gets an answer to each', async () => {
  const server = await cometbft();
  const client = Comet38Client.create(new HttpBatchClient(urlOf(server)));
  const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => client.broadcastTxSync({ tx: bytes(`${i}`) })));
  expect(sent.map(({ hash }) => Buffer.from(hash).toString('hex').toUpperCase())).toEqual(
    Array.from({ length: 20 }, (_, i) => hashOf(bytes(`${i}`))),
  );
  expect(await client.numUnconfirmedTxs()).toMatchObject({ total: 20 });
});

test('the answers have the shape of CometBFT', async () => {
  const server = await cometbft();
  expect(await post(server, call('health', {}))).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  const checked = { code: 0, data: null, log: '', info: '', gas_wanted: '0', gas_used: '0', events: [], codespace: '' };
  expect(await post(server, call('check_tx', { tx: base64('a') }, 'x'))).toEqual([
    200,
    { jsonrpc: '2.0', id: 'x', result: checked },
  ]);
  const empty = { n_txs: '0', total: '0', total_bytes: '0' };
  expect(await get(server, '/num_unconfirmed_txs')).toEqual([
    200,
    { jsonrpc: '2.0', id: -1, result: { ...empty, txs: null } },
  ]);
  expect(await get(server, '/unconfirmed_txs')).toMatchObject([200, { result: { ...empty, txs: [] } }]);
  const hash = hashOf(bytes('a'));
  expect(await post(server, call('broadcast_tx_sync', [base64('a')]))).toEqual([
    200,
    { jsonrpc: '2.0', id: 1, result: { code: 0, data: '', log: '', codespace: '', hash } },
  ]);
});

test('a call by URI takes quoted text, hex and integers', async () => {
  const server = await cometbft();
  const sent = (text: string) => [
    200,
    expect.objectContaining({ result: expect.objectContaining({ hash: hashOf(bytes(text)) }) }),
  ];
  expect(await get(server, '/broadcast_tx_sync?tx="a=1"')).toEqual(sent('a=1'));
  expect(await get(server, '/broadcast_tx_async?tx=0x623d32')).toEqual(sent('b=2'));
  expect(await get(server, `/broadcast_tx_sync?tx=${encodeURIComponent(JSON.stringify('"ü"'))}`)).toEqual(sent('"ü"'));
  const txs = ['a=1', 'b=2', '"ü"'].map(base64);
  expect(await get(server, '/unconfirmed_txs?limit=2')).toMatchObject([
    200,
    { result: { n_txs: '2', total: '3', total_bytes: '10', txs: txs.slice(0, 2) } },
  ]);
  for (const limit of ['0', '-1', '"500"', '']) {
    expect(await get(server, `/unconfirmed_txs?limit=${limit}`)).toMatchObject([200, { result: { n_txs: '3', txs } }]);
  }
  expect(await post(server, call('unconfirmed_txs', { limit: '1' }))).toMatchObject([200, { result: { n_txs: '1' } }]);
  expect(await get(server, '/')).toEqual([200, expect.stringContaining('broadcast_tx_sync?tx=_')]);
});

test('what is wrong is answered with the codes and words of CometBFT', async () => {
  const server = await cometbft({ backend: 'ephemeral', maxTxs: 1, maxTxBytes: 10 });
  const parse = fault(-32700, 'Parse error. Invalid JSON', expect.stringContaining('error unmarshaling request: '));
  for (const body of [
    '{',
    '[1]',
    '"x"',
    ...[true, 1.5, 2 ** 53, [], {}].map((id) => call('health', {}, id)),
    { id: 1, method: 7 },
  ])
    expect(await post(server, body)).toEqual([500, { jsonrpc: '2.0', error: parse }]);
  const unknown = {
    jsonrpc: '2.0',
    id: 1,
    error: fault(-32601, 'Method not found', expect.stringContaining('ask a node')),
  };
  for (const method of ['block', 'abci_query', 'subscribe', 'constructor', ''])
    expect(await post(server, call(method))).toEqual([200, unknown]);
  expect(await get(server, '/block?height=1')).toEqual([404, '404 page not found\n']);
  const invalid = (data: string) => fault(-32602, 'Invalid params', expect.stringContaining(data));
  const json = 'error converting json params to arguments: ';
  for (const params of [{ limit: 1 }, { limit: 'x' }, { limit: '01' }, ['1', '2'], [], 'x', 7])
    expect(await post(server, call('unconfirmed_txs', params))).toMatchObject([200, { error: invalid(json) }]);
  for (const params of [{ tx: 1 }, { tx: 'a' }, { tx: 'a-_=' }, ['YQ==', 'YQ=='], {}, { tx: '' }])
    expect(await post(server, call('broadcast_tx_sync', params))).toMatchObject([
      200,
      { error: invalid('error converting ') },
    ]);
  for (const path of [
    'broadcast_tx_sync?tx=abc',
    'broadcast_tx_sync?tx=0x1',
    'unconfirmed_txs?limit=0x1',
    'unconfirmed_txs?limit=a',
  ])
    expect(await get(server, `/${path}`)).toMatchObject([
      500,
      { id: -1, error: invalid('error converting http params') },
    ]);
  expect((await post(server, call('broadcast_tx_sync', [base64('a')])))[0]).toBe(200);
  const internal = (data: string) => [200, { jsonrpc: '2.0', id: 1, error: fault(-32603, 'Internal error', data) }];
  expect(await post(server, call('broadcast_tx_sync', [base64('a')]))).toEqual(internal('tx already exists in cache'));
  expect(await post(server, call('broadcast_tx_async', [base64('b')]))).toEqual(
    internal('mempool is full: number of txs 1'),
  );
  const large = base64('a'.repeat(11));
  expect(await post(server, call('broadcast_tx_sync', [large]))).toEqual(
    internal('Tx too large. Max size is 10, but got 11'),
  );
  expect((await get(server, '/broadcast_tx_sync?tx="a"'))[0]).toBe(500);
});

test('a batch is answered in order, without its notifications', async () => {
  const server = await cometbft();
  const notification = { jsonrpc: '2.0', method: 'broadcast_tx_sync', params: [base64('quiet')] };
  expect(await post(server, [call('health', {}, 'a'), notification, call('block', {}, 'b')])).toMatchObject([
    200,
    [
      { id: 'a', result: {} },
      { id: 'b', error: { code: -32601 } },
    ],
  ]);
  expect(await post(server, [call('health')])).toMatchObject([200, { id: 1, result: {} }]);
  expect(await post(server, [notification, null])).toEqual([200, '']);
  expect(await post(server, [])).toEqual([200, '']);
  expect(await post(server, '')).toEqual([200, expect.stringContaining('Available endpoints')]);
  expect(await get(server, '/num_unconfirmed_txs')).toMatchObject([200, { result: { total: '0' } }]);
  const error = fault(-32600, 'Invalid Request', 'maximum JSON-RPC batch size exceeded, got: 101, max: 100');
  expect(await post(server, Array(101).fill(call('health')))).toEqual([400, { jsonrpc: '2.0', error }]);
});

test('a batch whose answers are large is answered to a limit, and its other calls are refused', async () => {
  const server = await cometbft({ backend: 'ephemeral', maxTxBytes: 8 * 2 ** 20 });
  await server.pool.submit({ hash: 'ab'.repeat(32), payload: Buffer.alloc(7 * 2 ** 20) });
  const batch = Array.from({ length: 7 }, (_, i) => call('unconfirmed_txs', {}, i));
  const [status, answer] = await post(server, batch);
  expect(status).toBe(200);
  const answers = answer as readonly { readonly id: number; readonly error?: object }[];
  expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  const error = fault(-32000, 'Server error', 'the answer of the batch is too large');
  expect(answers.map(({ error: refused }) => refused)).toEqual([...Array(4).fill(undefined), error, error, error]);
});

test('tokens, scopes, rates and limits are those of the server', async () => {
  const tokens = [tokenOf('wallet', ['read', 'submit']), tokenOf('reader', ['read'])];
  const server = await cometbft(undefined, { tokens, maxBodyBytes: 500 });
  const client = await Comet38Client.connect({ url: urlOf(server), headers: bearer('wallet') });
  expect((await client.broadcastTxSync({ tx: bytes('a') })).code).toBe(0);
  expect(await client.numUnconfirmedTxs()).toMatchObject({ total: 1 });
  const refused = { error: fault(-32000, 'Server error', expect.any(String)) };
  expect(await get(server, '/status')).toMatchObject([401, refused]);
  expect(await get(server, '/broadcast_tx_sync?tx="b"', bearer('reader'))).toMatchObject([403, refused]);
  expect(await post(server, call('status'), bearer('other'))).toMatchObject([401, refused]);
  expect(await post(server, [call('health'), call('status')])).toMatchObject([200, [{ result: {} }, refused]]);
  const unread = fault(-32600, 'Invalid Request', 'error reading request body: http: request body too large');
  expect(await post(server, 'x'.repeat(501))).toEqual([400, { jsonrpc: '2.0', error: unread }]);
});

test('each call of a batch counts against the rate', async () => {
  const server = await cometbft(undefined, { ratePerSecond: 1 });
  const refused = { error: fault(-32000, 'Server error', expect.any(String)) };
  expect(await post(server, [call('health'), call('health')])).toMatchObject([200, [{ result: {} }, refused]]);
  expect(await post(server, call('health'))).toMatchObject([429, refused]);
});

test('pages of other sites cannot submit, not even by an image or a form', async () => {
  const server = await cometbft();
  expect((await get(server, '/broadcast_tx_sync?tx="a"', { origin: 'https://evil.example' }))[0]).toBe(403);
  expect((await get(server, '/broadcast_tx_sync?tx="a"', { 'sec-fetch-site': 'cross-site' }))[0]).toBe(403);
  expect((await post(server, call('broadcast_tx_sync', [base64('a')]), { 'content-type': 'text/plain' }))[0]).toBe(415);
  expect(await get(server, '/num_unconfirmed_txs')).toMatchObject([200, { result: { total: '0' } }]);
});

test('a page of corsOrigins may submit, also by URI', async () => {
  const origin = 'https://wallet.example';
  const server = await cometbft(undefined, { corsOrigins: [origin] });
  const site = { 'sec-fetch-site': 'cross-site' };
  expect((await get(server, '/broadcast_tx_sync?tx="a"', { ...site, origin }))[0]).toBe(200);
  expect((await post(server, call('broadcast_tx_sync', [base64('b')]), { ...site, origin }))[0]).toBe(200);
  expect((await get(server, '/broadcast_tx_sync?tx="c"', site))[0]).toBe(403);
  expect((await get(server, '/broadcast_tx_sync?tx="c"', { ...site, origin: 'null' }))[0]).toBe(403);
});
