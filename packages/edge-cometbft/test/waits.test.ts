import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Comet38Client } from '@cosmjs/tendermint-rpc';
import type { RunningServer, ServerOptions } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { bearer, served, tokenOf } from '../../server/test/http/served.ts';

function cometbft(mempool: object = {}, server: Partial<ServerOptions> = {}): Promise<RunningServer> {
  return served({ backend: 'ephemeral', ...mempool }, server, {}, { cometbft: { port: 0 } });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').toUpperCase();
const queryOf = (text: string): string => `tm.event = 'Tx' AND tx.hash = '${hashOf(text)}'`;

/** The chain grows by a block with these transactions. */
async function apply({ pool }: RunningServer, slot: number, ...texts: readonly string[]): Promise<void> {
  await pool.confirm({ point: pointOf(slot), seen: texts.map(hashOf), unseen: [] });
}

function pointOf(slot: number) {
  return { slot, hash: slot.toString(16).padStart(64, '0') };
}

interface Frame {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly data?: string };
}

/** A WebSocket with the frames of Go's client. */
class GoClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  #id = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.frames.push(JSON.parse(String(data))));
  }

  static async open({ edges }: RunningServer, headers: Readonly<Record<string, string>> = {}): Promise<GoClient> {
    const socket = new WebSocket(`${String(edges.cometbft).replace('http', 'ws')}/websocket`, { headers });
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    return new GoClient(socket);
  }

  /** Returns the first answer with the id of the call. */
  async call(method: string, params: object = {}): Promise<Frame> {
    const id = this.#id++;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await expect.poll(() => this.#with(id)).not.toHaveLength(0);
    return this.#with(id)[0] as Frame;
  }

  subscribe(query: string): Promise<Frame> {
    return this.call('subscribe', { query });
  }

  /** The events so far. */
  get events(): unknown[] {
    return this.frames.flatMap(({ id, result }) => (result?.query === undefined ? [] : [{ id, ...result }]));
  }

  #with(id: number): Frame[] {
    return this.frames.filter((frame) => frame.id === id);
  }
}

function eventOf(text: string, id: number, slot: number): object {
  const result = { code: 0, data: null, log: '', info: '', gas_wanted: '0', gas_used: '0', events: [], codespace: '' };
  return {
    ...{ id, query: queryOf(text) },
    data: {
      type: 'tendermint/event/Tx',
      value: { TxResult: { height: `${slot}`, index: 0, tx: base64(text), result } },
    },
    events: { 'tm.event': ['Tx'], 'tx.hash': [hashOf(text)], 'tx.height': [`${slot}`] },
  };
}

test('a transaction is found by its hash from its block on, also when it is final, until a fork', async () => {
  const server = await cometbft({ finalizeThreshold: 2 });
  const client = await Comet38Client.connect(String(server.edges.cometbft));
  const hash = Buffer.from(hashOf('a'), 'hex');
  const search = (): ReturnType<Comet38Client['txSearch']> => client.txSearch({ query: `tx.hash='${hashOf('a')}'` });
  await client.broadcastTxSync({ tx: bytes('a') });
  await expect(client.tx({ hash })).rejects.toThrow(`tx (${hashOf('a')}) not found`);
  expect(await search()).toEqual({ totalCount: 0, txs: [] });
  await apply(server, 1);
  await apply(server, 5, 'a');
  const found = { height: 5, index: 0, hash: new Uint8Array(hash), tx: bytes('a'), result: { code: 0 } };
  expect(await client.tx({ hash })).toMatchObject(found);
  expect(await search()).toMatchObject({ totalCount: 1, txs: [found] });
  await server.pool.rollback(pointOf(1));
  expect(await search()).toEqual({ totalCount: 0, txs: [] });
  await apply(server, 6, 'a');
  await apply(server, 7);
  expect((await server.pool.status(hashOf('a'))).stage).toBe('Finalized');
  const calls = Array.from({ length: 10 }, () => client.tx({ hash }));
  for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ ...found, height: 6 });
  expect(await search()).toMatchObject({ totalCount: 1, txs: [{ height: 6 }] });
});

test('a search that needs an index, a proof or another page is refused with words', async () => {
  const server = await cometbft();
  const client = await Comet38Client.connect(String(server.edges.cometbft));
  const query = `tx.hash='${hashOf('a')}'`;
  for (const other of [
    '',
    'x',
    "tx.height='5'",
    "tx.hash='ab'",
    `${query} AND a.b='c'`,
    `tm.event='NewBlock' AND ${query}`,
  ])
    await expect(client.txSearch({ query: other })).rejects.toThrow('without an index');
  await expect(client.txSearch({ query, page: 2 })).rejects.toThrow('[1, 1] range, given 2');
  await expect(client.txSearch({ query, prove: true })).rejects.toThrow('proof');
  await expect(client.tx({ hash: bytes('short') })).rejects.toThrow('not found');
  expect(await client.txSearch({ query: queryOf('a'), per_page: 1, order_by: 'desc' })).toMatchObject({
    totalCount: 0,
  });
  const byUri = await fetch(
    `${server.edges.cometbft}/tx_search?query="${encodeURIComponent(query)}"&prove=false&page=1`,
  );
  expect(await byUri.json()).toMatchObject({ result: { txs: [], total_count: '0' } });
  expect(await client.abciInfo()).toMatchObject({ data: 'mempool', lastBlockHeight: 0 });
});

test('broadcast_tx_commit answers when a block has the transaction, or says why none will', async () => {
  const server = await cometbft({ finalizeThreshold: 1 });
  const client = await Comet38Client.connect(String(server.edges.cometbft));
  const pending = async (count: number): Promise<void> => {
    await expect.poll(async () => (await server.pool.usage()).pending).toBe(count);
  };
  const sent = client.broadcastTxCommit({ tx: bytes('a') });
  await pending(1);
  await apply(server, 3, 'a');
  const { height, hash, checkTx, txResult } = await sent;
  expect([height, Buffer.from(hash).toString('hex').toUpperCase()]).toEqual([3, hashOf('a')]);
  expect([checkTx.code, txResult?.code]).toEqual([0, 0]);
  const dropped = client.broadcastTxCommit({ tx: bytes('b') });
  const refused = expect(dropped).rejects.toThrow('the pool dropped the tx: withdrawn');
  await pending(1);
  await expect(client.broadcastTxCommit({ tx: bytes('b') })).rejects.toThrow('broadcastTxCommit: tx already exists');
  await server.pool.drop(hashOf('b'), { app: 'withdrawn' });
  await refused;
});

test('broadcast_tx_commit takes nothing in if it cannot wait', async () => {
  const server = await cometbft({}, { maxWaits: 1 });
  const client = await Comet38Client.connect(String(server.edges.cometbft));
  const first = client.broadcastTxCommit({ tx: bytes('a') });
  await expect.poll(async () => (await server.pool.usage()).pending).toBe(1);
  await expect(client.broadcastTxCommit({ tx: bytes('b') })).rejects.toThrow('503');
  expect((await server.pool.usage()).pending).toBe(1);
  await apply(server, 1, 'a');
  expect((await first).height).toBe(1);
});

test('a subscription tells of each block with its transaction, also of one that was there before', async () => {
  const server = await cometbft();
  const client = await GoClient.open(server);
  expect(await client.call('status')).toMatchObject({ result: { node_info: { network: 'mempool' } } });
  expect(await client.subscribe(queryOf('a'))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(await client.call('broadcast_tx_sync', { tx: base64('a') })).toMatchObject({ result: { hash: hashOf('a') } });
  await apply(server, 1);
  await apply(server, 5, 'a');
  await expect.poll(() => client.events).toEqual([eventOf('a', 1, 5)]);
  await server.pool.rollback(pointOf(1));
  await apply(server, 6, 'a');
  await expect.poll(() => client.events).toEqual([eventOf('a', 1, 5), eventOf('a', 1, 6)]);
  const late = await GoClient.open(server);
  expect(await late.subscribe(queryOf('a'))).toMatchObject({ result: {} });
  await expect.poll(() => late.events).toEqual([eventOf('a', 0, 6)]);
  expect(late.frames[0]).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
});

test('a subscription tells once of a transaction that becomes final, and nothing after its end', async () => {
  const server = await cometbft({ finalizeThreshold: 2 });
  const client = await GoClient.open(server);
  for (const text of ['a', 'b', 'c']) {
    await client.subscribe(queryOf(text));
    await client.call('broadcast_tx_async', { tx: base64(text) });
  }
  expect(await client.call('unsubscribe', { query: queryOf('b') })).toMatchObject({ result: {} });
  await apply(server, 1, 'a', 'b');
  await apply(server, 2);
  expect((await server.pool.status(hashOf('a'))).stage).toBe('Finalized');
  await apply(server, 3, 'c');
  await expect.poll(() => client.events).toEqual([eventOf('a', 0, 1), eventOf('c', 4, 3)]);
  expect(await client.call('unsubscribe_all')).toMatchObject({ result: {} });
  expect(await client.call('unsubscribe', { query: queryOf('a') })).toMatchObject({ error: { code: -32603 } });
});

test('a WebSocket refuses queries that the pool cannot answer, and answers the other methods', async () => {
  const server = await cometbft();
  const client = await GoClient.open(server);
  expect(await client.subscribe("tm.event='NewBlock'")).toMatchObject({ error: { code: -32602 } });
  expect(await client.call('block')).toMatchObject({ error: { code: -32601, data: expect.stringContaining('node') } });
  await client.subscribe(queryOf('a'));
  expect(await client.subscribe(queryOf('a'))).toMatchObject({ error: { data: 'already subscribed' } });
  const sent = client.call('broadcast_tx_commit', { tx: base64('b') });
  await expect.poll(async () => (await server.pool.usage()).pending).toBe(1);
  await apply(server, 4, 'b');
  expect(await sent).toMatchObject({ result: { height: '4', hash: hashOf('b') } });
  client.socket.send('{');
  await expect.poll(() => client.frames.at(-1)).toMatchObject({ error: { code: -32700 } });
});

test('a WebSocket has the scopes of its token, and only one path', async () => {
  const tokens = [tokenOf('reader', ['read']), tokenOf('writer', ['submit'])];
  const server = await cometbft({}, { tokens });
  const status = async (path: string, headers: object): Promise<number | undefined> => {
    const socket = new WebSocket(String(server.edges.cometbft).replace('http', 'ws') + path, {
      headers: { ...headers },
    });
    socket.on('error', () => undefined);
    const [, { statusCode }] = await once(socket, 'unexpected-response');
    return statusCode;
  };
  expect(await status('/websocket', {})).toBe(401);
  expect(await status('/', bearer('reader'))).toBe(404);
  const reader = await GoClient.open(server, bearer('reader'));
  expect(await reader.call('broadcast_tx_sync', { tx: base64('a') })).toMatchObject({ error: { code: -32000 } });
  const writer = await GoClient.open(server, bearer('writer'));
  expect(await writer.subscribe(queryOf('a'))).toMatchObject({ error: { code: -32000 } });
  expect(await writer.call('broadcast_tx_sync', { tx: base64('a') })).toMatchObject({ result: { code: 0 } });
});

test('a server that stops ends the waits, and closes WebSockets with 1001', async () => {
  const server = await cometbft();
  const client = await GoClient.open(server);
  await client.subscribe(queryOf('a'));
  const sent = client.call('broadcast_tx_commit', { tx: base64('b') });
  await expect.poll(async () => (await server.pool.usage()).pending).toBe(1);
  const closed = once(client.socket, 'close');
  await server.close();
  expect((await closed)[0]).toBe(1001);
  expect(await sent).toMatchObject({ error: { code: -32000 } });
});
