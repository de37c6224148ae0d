import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { call, edge, type RpcReply } from './rpc.ts';
import { startUpstream } from './upstream-process.ts';
import { signed } from './wallet.ts';

interface Notice {
  readonly params: { readonly subscription: string; readonly result: unknown };
}

/** A client that keeps what it gets. */
class Client {
  readonly socket: WebSocket;
  readonly notices: Notice[] = [];
  readonly #waiting = new Map<number, (reply: RpcReply) => void>();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as RpcReply | Notice;
      if ('params' in message) this.notices.push(message);
      else this.#waiting.get(Number(message.id))?.(message);
    });
  }

  static async open(url: string): Promise<Client> {
    const socket = new WebSocket(url);
    onTestFinished(() => socket.terminate());
    const client = new Client(socket);
    await once(socket, 'open');
    return client;
  }

  call(method: string, ...params: readonly unknown[]): Promise<RpcReply> {
    const id = this.#nextId++;
    const reply = new Promise<RpcReply>((resolve) => this.#waiting.set(id, resolve));
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return reply;
  }
}

test('a subscription tells hashes or whole transactions, until it ends', async () => {
  const { url, socketUrl } = await edge();
  const client = await Client.open(socketUrl);
  const { result: hashes } = await client.call('eth_subscribe', 'newPendingTransactions');
  const { result: whole } = await client.call('eth_subscribe', 'newPendingTransactions', true);
  const { result: hash } = await client.call('eth_sendRawTransaction', await signed({ nonce: 0 }));
  const { result: found } = await call(url, 'eth_getTransactionByHash', hash);
  await expect.poll(() => client.notices.length).toBe(2);
  const byId = Object.fromEntries(client.notices.map(({ params }) => [params.subscription, params.result]));
  expect(byId).toEqual({ [String(hashes)]: hash, [String(whole)]: found });
  expect((await client.call('eth_unsubscribe', hashes)).result).toBe(true);
  expect((await client.call('eth_unsubscribe', hashes)).result).toBe(false);
  await client.call('eth_sendRawTransaction', await signed({ nonce: 1 }));
  await expect.poll(() => client.notices.length).toBe(3);
  expect(client.notices[2]?.params.subscription).toBe(whole);
  for (const [kind, code] of [
    ['logs', -32601],
    [1, -32602],
  ] as const)
    expect((await client.call('eth_subscribe', kind)).error?.code).toBe(code);
});

test('new blocks of the upstream are told, those of another branch too', async () => {
  const upstream = await startUpstream();
  const { socketUrl } = await edge(undefined, { upstream: upstream.url });
  const client = await Client.open(socketUrl);
  await client.call('eth_subscribe', 'newHeads');
  const told = (): unknown[] => client.notices.map(({ params }) => (params.result as { readonly hash: string }).hash);
  const first = await upstream.call('test_block');
  await upstream.call('test_block');
  await expect.poll(told).toHaveLength(2);
  await upstream.call('test_undo', 1);
  const third = await upstream.call('test_block');
  await expect.poll(told).toEqual([first, expect.anything(), third]);
  expect(client.notices[0]?.params.result).not.toHaveProperty('transactions');
});

test('a client that does not read is cut off, and hurts nobody', async () => {
  const { socketUrl, running } = await edge();
  const slow = await Client.open(socketUrl);
  const quick = await Client.open(socketUrl);
  for (let i = 0; i < 64; i += 1) await slow.call('eth_subscribe', 'newPendingTransactions');
  expect((await slow.call('eth_subscribe', 'newPendingTransactions')).error?.code).toBe(-32005);
  await quick.call('eth_subscribe', 'newPendingTransactions');
  const ended = once(slow.socket, 'close');
  slow.socket.pause();
  // Transactions that are no Ethereum transactions are ready too, and cheap to make.
  for (let i = 0; i < 6; i += 1) {
    const all = Array.from({ length: 1_000 }, (_, k) => ({
      hash: (i * 1_000 + k).toString(16).padStart(64, '0'),
      payload: new Uint8Array(1),
    }));
    await running.pool.receive(all);
    await expect.poll(() => quick.notices.length).toBe((i + 1) * 1_000);
  }
  slow.socket.resume();
  expect((await ended)[0]).toBe(1006);
});

test('a stopping server answers what is under way and closes with 1001', async () => {
  const upstream = await startUpstream();
  const { socketUrl, running } = await edge(undefined, { upstream: upstream.url });
  const client = await Client.open(socketUrl);
  const closed = once(client.socket, 'close');
  upstream.signal('SIGSTOP');
  const reply = client.call('eth_gasPrice');
  // Messages are taken in their order, so the first one is under way when the second one is answered.
  await client.call('eth_chainId');
  const stopped = running.close();
  upstream.signal('SIGCONT');
  expect((await reply).result).toBe('0x3b9aca00');
  expect((await closed)[0]).toBe(1001);
  await stopped;
});

test('a client that is refused and stays does not hold up a stop', { timeout: 10_000 }, async () => {
  const { url, running } = await edge();
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const fields = ['host: evil.example', 'connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
  socket.write(`GET / HTTP/1.1\r\n${fields.join('\r\n')}\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 421 /);
  await running.close();
});

test('a stop does not wait longer for the upstream than it may', async () => {
  const upstream = await startUpstream();
  const { socketUrl, running } = await edge(undefined, { upstream: upstream.url }, { drainMs: 50 });
  const client = await Client.open(socketUrl);
  const closed = once(client.socket, 'close');
  await upstream.call('test_mode', 'hang');
  void client.call('eth_gasPrice');
  await client.call('eth_chainId');
  await running.close();
  expect((await closed)[0]).toBe(1006);
});

test('sockets count as event streams, and large messages end them', async () => {
  const { socketUrl } = await edge(undefined, {}, { maxSseClients: 1, maxBodyBytes: 1_000 });
  const first = await Client.open(socketUrl);
  await expect(Client.open(socketUrl)).rejects.toThrow('503');
  first.socket.send('a'.repeat(1_001));
  expect((await once(first.socket, 'close'))[0]).toBe(1009);
  const second = await Client.open(socketUrl);
  expect((await second.call('eth_chainId')).result).toBe('0x7a69');
});

test('a message that is no call counts against the rate', async () => {
  const { socketUrl } = await edge(undefined, {}, { ratePerSecond: 5 });
  const client = await Client.open(socketUrl);
  for (let i = 0; i < 8; i += 1) client.socket.send(['{', '[]'][i % 2] as string);
  expect((await client.call('eth_chainId')).error?.code).toBe(-32005);
});
