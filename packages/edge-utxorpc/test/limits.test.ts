import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { Code, createPromiseClient } from '@connectrpc/connect';
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { submitConnect } from '@utxorpc/spec/lib/index.mjs';
import type { RunningServer } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { served } from '../../server/test/http/served.ts';
import { clientOf, edgeUrl, fails, messages, paymentOf, rawTx, Stage, type SubmitClient } from './clients.ts';

const open = (server: object = {}): Promise<RunningServer> => served(undefined, server, {}, { utxorpc: { port: 0 } });

test('open streams are no requests in flight', async () => {
  const server = await open({ maxRequests: 1, maxSseClients: 2 });
  const client = clientOf(edgeUrl(server));
  for (const number of [1, 2]) await watching(server, client, number);
  expect(await fails(messages(client.watchMempool({})))).toMatchObject({ code: Code.Unavailable });
  expect((await client.readMempool({})).items).toHaveLength(2);
  expect((await fetch(`${server.url}/api/v1/pool`)).status).toBe(200);
});

test.each(['gRPC-Web over HTTP/1.1', 'Connect over HTTP/1.1'] as const)(
  '%s: streams may be silent for long, other requests may not',
  async (transport) => {
    const server = await open();
    const client = clientOf(edgeUrl(server), transport);
    const sockets = arriving();
    const limits = (): unknown[] => sockets.splice(0).map(({ timeout }) => timeout);
    await watching(server, client, 1);
    expect(limits()).toEqual([0]);
    await client.submitTx({ tx: rawTx(paymentOf(2)) });
    expect(limits()).toEqual([expect.toSatisfy((limit) => limit > 0)]);
    const { ref } = await client.submitTx({ tx: rawTx(paymentOf(3)) });
    sockets.length = 0;
    await client.waitForTx({ ref }, { signal: untilFinished() })[Symbol.asyncIterator]().next();
    expect(limits()).toEqual([0]);
  },
);

test.each(['gRPC', 'gRPC-Web over HTTP/1.1', 'Connect over HTTP/2'] as const)(
  '%s: a deadline may be a month away, or near',
  async (transport) => {
    const client = clientOf(edgeUrl(await open()), transport);
    const { ref } = await client.submitTx({ tx: rawTx(paymentOf(1)) });
    const wait = (timeoutMs: number) => client.waitForTx({ ref }, { timeoutMs, signal: untilFinished() });
    // No timer of Node is that long, so the client says it in a header alone.
    const month = transport.startsWith('Connect') ? { 'connect-timeout-ms': '2592000000' } : { 'grpc-timeout': '720H' };
    const far = client.waitForTx({ ref }, { headers: month, signal: untilFinished() })[Symbol.asyncIterator]();
    expect(await far.next()).toMatchObject({ value: { stage: Stage.MEMPOOL } });
    const next = far.next().catch(() => 'ended');
    expect(await fails(messages(wait(50)))).toMatchObject({ code: Code.DeadlineExceeded });
    expect(await Promise.race([next, 'open'])).toBe('open');
  },
);

async function http2To(server: RunningServer): Promise<ClientHttp2Session> {
  const session = connect(edgeUrl(server));
  onTestFinished(() => session.destroy());
  session.on('error', () => undefined);
  await once(session, 'connect');
  return session;
}

const watch = { ':method': 'POST', ':path': '/utxorpc.v1alpha.submit.SubmitService/WatchMempool' };

function opened(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({ ...watch, 'content-type': 'application/grpc', te: 'trailers' });
  stream.on('error', () => undefined);
  return stream;
}

test('a connection that resets streams as soon as it opens them is ended', async () => {
  const server = await open();
  const session = await http2To(server);
  const ended = new Promise((resolve) => session.once('close', resolve));
  const ending = new Promise((resolve) => session.once('goaway', resolve));
  for (let sent = 0; sent < 600 && !session.closed && !session.destroyed; sent += 1) {
    const stream = opened(session);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    await Promise.race([closed, ended]);
  }
  expect(await ending).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  await ended;
  expect((await clientOf(edgeUrl(server)).readMempool({})).items).toEqual([]);
});

test('a client may end many streams that were open for a while', async () => {
  const server = await open();
  const session = await http2To(server);
  const began = performance.now();
  const streams = Array.from({ length: 600 }, () => opened(session));
  await answersPing(session);
  await expect.poll(() => performance.now() - began, { timeout: 5_000 }).toBeGreaterThan(1_500);
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  await Promise.all(streams.map((stream) => stream.closed || once(stream, 'close')));
  await answersPing(session);
});

function answersPing(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session.ping((error) => (error === null ? resolve() : reject(error)));
  });
}

test('a compressed request is refused, in each protocol', async () => {
  const baseUrl = edgeUrl(await open());
  const zipped = { baseUrl, sendCompression: compressionGzip, compressMinBytes: 0, httpVersion: '1.1' } as const;
  const transports = [
    createGrpcTransport({ ...zipped, httpVersion: '2' }),
    createGrpcWebTransport(zipped),
    createConnectTransport(zipped),
  ];
  for (const transport of transports) {
    const client = createPromiseClient(submitConnect.SubmitService, transport);
    const error = await fails(client.submitTx({ tx: rawTx(Buffer.alloc(100_000)) }));
    expect(error).toMatchObject({ code: Code.Unimplemented });
  }
});

test('each transaction of a request counts against the rate', async () => {
  const client = clientOf(edgeUrl(await open({ ratePerSecond: 10 })));
  expect(
    (await client.submitTx({ tx: rawTx(...Array.from({ length: 500 }, (_, i) => paymentOf(i))) })).ref,
  ).toHaveLength(500);
  expect(await fails(client.readMempool({}))).toMatchObject({ code: Code.ResourceExhausted });
});

/** A signal that aborts when the test is over. */
function untilFinished(): AbortSignal {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  return leaving.signal;
}

/** Opens an event stream until the end of the test. */
async function watching({ pool }: RunningServer, client: SubmitClient, number: number): Promise<void> {
  const iterator = client.watchMempool({}, { signal: untilFinished() })[Symbol.asyncIterator]();
  let isOpen = false;
  const first = iterator.next().then(() => {
    isOpen = true;
  });
  const hash = number.toString(16).padStart(64, '0');
  await pool.receive([{ hash, payload: Buffer.of(number) }]);
  while (!isOpen) {
    await pool.markInflight([hash]);
    await pool.release([hash]);
    await Promise.race([first, new Promise((resolve) => setImmediate(resolve))]);
  }
}

/** The server's ends of the connections on which requests arrive, from now on. */
function arriving(): Socket[] {
  const sockets: Socket[] = [];
  const add = (message: unknown): void => void sockets.push((message as { readonly socket: Socket }).socket);
  subscribe('http.server.request.start', add);
  onTestFinished(() => void unsubscribe('http.server.request.start', add));
  return sockets;
}
