import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { RunningServer } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { bearer, served, tokenOf } from './served.ts';

// Senders without a valid token, whose bodies do not arrive.

const edges = {
  ethereum: { port: 0, chainId: 1 },
  cometbft: { port: 0 },
  blockfrost: { port: 0 },
};
const tokens = [tokenOf('reader', ['read', 'submit'])];
const maxRequests = 100;

interface Post {
  readonly url: string;
  readonly path: string;
  readonly type: string;
  readonly length?: number;
}

/** Sends the head of a request and one byte of its body. */
function stall({ url, path, type, length = 64 }: Post): Socket {
  const { hostname, port, host, origin } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: ${type}\r\n`);
  socket.write(`Content-Length: ${length}\r\n\r\n{`);
  return socket;
}

/** The first bytes of the answer; empty if the connection ended without one. */
async function answerOf(socket: Socket): Promise<string> {
  const [data = ''] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])]);
  return String(data);
}

async function statuses({ url }: RunningServer): Promise<number[]> {
  const paths = ['/livez', '/readyz', '/api/v1/tip'];
  return Promise.all(paths.map(async (path) => (await fetch(url + path, { headers: bearer('reader') })).status));
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const doors: Readonly<Record<string, (server: RunningServer) => Post>> = {
  login: ({ url }) => ({ url, path: '/login', type: form }),
  'the API': ({ url }) => ({ url, path: '/api/v1/transactions', type: json }),
  ethereum: ({ edges }) => ({ url: String(edges.ethereum), path: '/', type: json }),
  cometbft: ({ edges }) => ({ url: String(edges.cometbft), path: '/', type: json }),
  blockfrost: ({ edges }) => ({ url: String(edges.blockfrost), path: '/tx/submit', type: 'application/cbor' }),
};

for (const [name, postOf] of Object.entries(doors))
  test(`bodies of strangers that do not arrive at ${name} take no room from callers with a token`, async () => {
    const pool = { backend: 'ephemeral', ordering: 'priority' };
    const server = await served(pool, { tokens, maxRequests }, {}, edges);
    const answers = Array.from({ length: 3 * maxRequests }, () => answerOf(stall(postOf(server))));
    // Most are refused at once.
    await atLeast(200, answers);
    expect(await statuses(server)).toEqual([200, 200, 200]);
    // The others get no more than five seconds.
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 (401|403|408|429|503) /);
    expect(await statuses(server)).toEqual([200, 200, 200]);
  }, 20_000);

/** Resolves when so many of the promises have resolved. */
function atLeast(count: number, promises: readonly Promise<unknown>[]): Promise<void> {
  let left = count;
  return new Promise((resolve, reject) => {
    for (const promise of promises)
      promise.then(() => {
        left -= 1;
        if (left === 0) resolve();
      }, reject);
  });
}

test('a stranger may not send a large body where a token is needed later', async () => {
  const server = await served({ backend: 'ephemeral', ordering: 'priority' }, { tokens }, {}, edges);
  for (const door of ['login', 'ethereum', 'cometbft'] as const) {
    const post = doors[door]?.(server) as Post;
    expect(await answerOf(stall({ ...post, length: 65_537 }))).toMatch(/too large|larger than/);
  }
});

test('without tokens, one address cannot send more than 64 bodies at once that do not arrive', async () => {
  const server = await served({ backend: 'ephemeral' }, { maxRequests });
  const post = { url: server.url, path: '/api/v1/transactions', type: json };
  const stalled = Array.from({ length: 2 * maxRequests }, () => stall(post));
  const answers = await Promise.all(stalled.slice(-90).map(answerOf));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 503 .*ERR_SERVER_BUSY/s);
  expect(await statuses(server)).toEqual([200, 200, 200]);
});

test('unfinished messages of all ports share one limit', async () => {
  const maxBodyBytes = 128 * 1024;
  const pool = { backend: 'ephemeral', ordering: 'priority' };
  const server = await served(pool, { maxBodyBytes }, {}, edges);
  const { ethereum = '' } = server.edges;
  const sockets = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const { hostname, port } = new URL(ethereum);
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      const key = Buffer.alloc(16).toString('base64');
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
      socket.write(`Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
      expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 101 /);
      return socket;
    }),
  );
  // A masked text frame of the largest size, without its last byte.
  const frame = Buffer.alloc(14 + maxBodyBytes - 1, 'x');
  Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 2, 0, 0]).copy(frame);
  for (const socket of sockets) socket.write(frame);
  const posts = Array.from({ length: 20 }, () =>
    stall({ url: server.url, path: '/api/v1/transactions', type: json, length: maxBodyBytes }),
  );
  for (const post of posts) post.write('x'.repeat(maxBodyBytes - 2));
  const ended = [...sockets.map((socket) => once(socket, 'close').then(() => '')), ...posts.map(answerOf)];
  await Promise.race(ended);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  for (const socket of [...sockets, ...posts]) socket.destroy();
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
});
