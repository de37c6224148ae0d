import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { Code } from '@connectrpc/connect';
import { array, map, nullItem, unsigned } from 'cardano-chains/cbor';
import { transactionHash } from 'mempool-cardano';
import type { RunningServer } from 'mempool-server';
import { describe, expect, test } from 'vitest';
import { payment } from '../../server/test/edges/payment.ts';
import { bearer, served, tokenOf } from '../../server/test/http/served.ts';
import { clientOf, edgeUrl, fails, messages, paymentOf, rawTx, transportNames } from './clients.ts';

const open = (server: object = {}, mempool: object = {}): Promise<RunningServer> =>
  served({ backend: 'ephemeral', ...mempool }, server, {}, { utxorpc: { port: 0 } });
const hash = 'ab'.repeat(32);
const ref = [Buffer.from(hash, 'hex')];
const path = '/utxorpc.v1alpha.submit.SubmitService/SubmitTx';

describe('tokens', () => {
  const tokens = [tokenOf('reader', ['read']), tokenOf('sender', ['submit'])];
  const bearing = (name: string) => ({ headers: bearer(name) });

  test.each(transportNames)('%s: each method wants its scope', async (transport) => {
    const client = clientOf(edgeUrl(await open({ tokens })), transport);
    const tx = rawTx(paymentOf(1));
    expect(await fails(client.submitTx({ tx }))).toMatchObject({ code: Code.Unauthenticated });
    expect(await fails(client.submitTx({ tx }, bearing('other')))).toMatchObject({ code: Code.Unauthenticated });
    expect(await fails(client.submitTx({ tx }, bearing('reader')))).toMatchObject({ code: Code.PermissionDenied });
    expect(await fails(client.readMempool({}, bearing('sender')))).toMatchObject({ code: Code.PermissionDenied });
    expect(await fails(messages(client.waitForTx({ ref })))).toMatchObject({ code: Code.Unauthenticated });
    expect(await fails(messages(client.watchMempool({}, bearing('sender'))))).toMatchObject({
      code: Code.PermissionDenied,
    });
    expect((await client.submitTx({ tx }, bearing('sender'))).ref).toHaveLength(1);
    expect((await client.readMempool({}, bearing('reader'))).items).toHaveLength(1);
  });
});

describe('what is refused', () => {
  test.each(transportNames)(
    '%s: bytes that are no transaction, and none of the request is taken',
    async (transport) => {
      const server = await open();
      const client = clientOf(edgeUrl(server), transport);
      for (const bad of [Buffer.of(1, 2, 3), Buffer.alloc(0)]) {
        const error = await fails(client.submitTx({ tx: rawTx(paymentOf(1), bad) }));
        expect([error.code, error.metadata.get('mempool-code')]).toEqual([Code.InvalidArgument, 'ERR_SERVER_REQUEST']);
      }
      expect(await server.pool.hasPending()).toBe(false);
    },
  );

  test.each(transportNames)('%s: a request that is too large', async (transport) => {
    const client = clientOf(edgeUrl(await open({ maxBodyBytes: 20_000 })), transport);
    const error = await fails(client.submitTx({ tx: rawTx(Buffer.alloc(60_000)) }));
    expect(error.code).toBe(Code.ResourceExhausted);
    expect((await client.submitTx({ tx: rawTx(paymentOf(1)) })).ref).toHaveLength(1);
  });

  test('what the pool refuses', async () => {
    const small = clientOf(edgeUrl(await open({}, { maxTxBytes: 20 })));
    expect(await fails(small.submitTx({ tx: rawTx(paymentOf(1)) }))).toMatchObject({ code: Code.InvalidArgument });
    const full = clientOf(edgeUrl(await open({}, { maxTxs: 1 })));
    await full.submitTx({ tx: rawTx(paymentOf(1)) });
    expect(await fails(full.submitTx({ tx: rawTx(paymentOf(2)) }))).toMatchObject({ code: Code.ResourceExhausted });
    expect((await full.submitTx({ tx: rawTx(paymentOf(1)) })).ref).toHaveLength(1);
  });

  test('in a priority pool one bad transaction keeps all out, though its hash can be computed', async () => {
    const server = await open({}, { ordering: 'priority' });
    const client = clientOf(edgeUrl(server));
    const outputs = Array.from({ length: 1_025 }, (_, index) => ({ hash, index }));
    const oddReference = array([
      map([
        [unsigned(0), array([unsigned(7)])],
        [unsigned(1), array([])],
        [unsigned(2), unsigned(1)],
      ]),
      map([]),
      Uint8Array.of(0xf5),
      nullItem,
    ]);
    for (const bad of [payment({ inputs: outputs }), oddReference]) {
      expect(transactionHash(bad)).toHaveLength(64);
      const error = await fails(client.submitTx({ tx: rawTx(paymentOf(1), bad) }));
      expect([error.code, error.rawMessage]).toEqual([
        Code.InvalidArgument,
        expect.stringContaining('Transaction 1: '),
      ]);
    }
    expect(await server.pool.hasPending()).toBe(false);
  });

  test('a limit that counts what else is in the pool is no fault of the transaction', async () => {
    const server = await open({}, { ordering: 'priority', maxAncestors: 1 });
    const client = clientOf(edgeUrl(server));
    const first = payment({ inputs: [{ hash, index: 0 }] });
    const second = payment({ inputs: [{ hash: transactionHash(first), index: 0 }] });
    const third = payment({ inputs: [{ hash: transactionHash(second), index: 0 }] });
    const error = await fails(client.submitTx({ tx: rawTx(first, second, third) }));
    expect([error.code, error.rawMessage]).toEqual([Code.FailedPrecondition, expect.stringContaining(': limit.')]);
  });

  test('wrong references, too many of them, and predicates', async () => {
    const client = clientOf(edgeUrl(await open()));
    const invalid = { code: Code.InvalidArgument };
    expect(await fails(messages(client.waitForTx({ ref: [new Uint8Array(31)] })))).toMatchObject(invalid);
    expect(await fails(messages(client.waitForTx({ ref: Array(1_001).fill(ref[0]) })))).toMatchObject(invalid);
    expect(await fails(client.submitTx({ tx: rawTx(...Array(1_001).fill(new Uint8Array())) }))).toMatchObject(invalid);
    expect(await messages(client.waitForTx({}))).toEqual([]);
    const cannot = { code: Code.Unimplemented };
    const pattern = { chain: { case: 'cardano', value: { mintsAsset: { policyId: Buffer.alloc(28) } } } } as const;
    for (const predicate of [{ match: pattern }, { anyOf: [{}] }, { not: [{}] }, { allOf: [{}] }])
      expect(await fails(messages(client.watchMempool({ predicate })))).toMatchObject(cannot);
  });

  test('bytes that are no message', async () => {
    const url = edgeUrl(await open());
    const post = (contentType: string, body: Uint8Array<ArrayBuffer> | string) =>
      fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': contentType }, body });
    // Connect has the status of its code `internal`, which gRPC gives for a message that cannot be read.
    expect(await (await post('application/proto', Buffer.of(0xff, 0xff, 0xff))).json()).toMatchObject({
      code: 'internal',
    });
    expect((await post('application/json', '{')).status).toBe(400);
    expect((await post('text/plain', 'x')).status).toBe(415);
    expect((await fetch(`${url}${path}`)).status).toBe(405);
    expect((await fetch(`${url}/other`)).status).toBe(404);
    for (const frame of ['00000000ff', '0000000003ffffff', '0100000001ff', 'ff']) {
      const answer = await post('application/grpc-web+proto', Buffer.from(frame, 'hex'));
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/grpc-status: (?:3|13)\b/)]);
    }
  });
});

describe('hosts and pages', () => {
  test('a name that is not the server is refused, in both versions of HTTP', async () => {
    const url = edgeUrl(await open());
    const session = connectHttp2(url);
    const stream = session.request({ ':method': 'POST', ':path': path, ':authority': 'evil.example' });
    const [headers] = (await once(stream, 'response')) as [{ readonly ':status': number }];
    expect(headers[':status']).toBe(421);
    session.destroy();
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: { origin: 'https://evil.example' } });
    expect(answer.status).toBe(403);
  });

  test('a page of corsOrigins may call, and reads the answer', async () => {
    const origin = 'https://wallet.example';
    const url = edgeUrl(await open({ corsOrigins: [origin] }));
    const preflight = await fetch(`${url}${path}`, { method: 'OPTIONS', headers: { origin } });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Connect-Protocol-Version');
    const headers = { origin, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });
});

describe('limits', () => {
  test('waits are counted until their clients leave or their time is over', async () => {
    const client = clientOf(edgeUrl(await open({ maxWaits: 2 })));
    const leaving = new AbortController();
    const waits = [1, 2].map(() => fails(messages(client.waitForTx({ ref }, { signal: leaving.signal }))));
    await expect
      .poll(async () => (await fails(messages(client.waitForTx({ ref }, { timeoutMs: 50 })))).code)
      .toBe(Code.Unavailable);
    leaving.abort();
    expect(await Promise.all(waits)).toMatchObject([{ code: Code.Canceled }, { code: Code.Canceled }]);
    await expect
      .poll(async () => (await fails(messages(client.waitForTx({ ref }, { timeoutMs: 50 })))).code)
      .toBe(Code.DeadlineExceeded);
  });

  test('a client that does not read its stream is cut off, and others get everything', async () => {
    const server = await open();
    const session = connectHttp2(edgeUrl(server), { settings: { initialWindowSize: 0 } });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/utxorpc.v1alpha.submit.SubmitService/WatchMempool',
      'content-type': 'application/grpc+proto',
      te: 'trailers',
    });
    stream.on('error', () => undefined).end(Buffer.alloc(5));
    const told = new Set<string>();
    const leaving = new AbortController();
    const reading = (async () => {
      for await (const { tx } of clientOf(edgeUrl(server)).watchMempool({}, { signal: leaving.signal }))
        told.add(Buffer.from(tx?.ref ?? []).toString('hex'));
    })().catch(() => undefined);
    const hashes: string[] = [];
    const ended = once(stream, 'close');
    await expect
      .poll(async () => {
        const batch = Array.from({ length: 500 }, (_, i) => (hashes.length + i).toString(16).padStart(64, '0'));
        hashes.push(...batch);
        await server.pool.receive(batch.map((each) => ({ hash: each, payload: Buffer.alloc(10) })));
        await server.pool.drop(batch, 'failed');
        return stream.closed;
      })
      .toBe(true);
    await ended;
    await expect.poll(() => told.has(hashes.at(-1) ?? '')).toBe(true);
    leaving.abort();
    await reading;
    session.destroy();
  });
});

describe('connections', () => {
  test('one that says nothing, or half of how HTTP/2 begins, does not hold up the stop', async () => {
    const server = await open();
    const { hostname, port } = new URL(edgeUrl(server));
    const sockets = ['', 'P', 'PR'].map((head) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(head);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await server.close();
    await Promise.all(closed);
  });

  test.each(['P', 'PR'])('a client that says only %s keeps nobody else from being answered', async (head) => {
    const server = await open();
    const { hostname, port } = new URL(edgeUrl(server));
    const socket = connect(Number(port), hostname).setNoDelay();
    socket.write(head);
    // Others are answered meanwhile, and timers run.
    expect((await clientOf(edgeUrl(server)).readMempool({})).items).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    const http1 = 'POST /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
    const http2 = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
    const [rest, answer] = head === 'P' ? [http1, 'HTTP/1.1 404 '] : [http2, '\x04\0\0\0\0\0'];
    socket.write(rest.slice(head.length), 'latin1');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString('latin1')).toContain(answer);
    socket.destroy();
  });

  test('a client that cuts its connection in the middle of a request leaves nothing behind', async () => {
    const server = await open();
    const session = connectHttp2(edgeUrl(server));
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc+proto' });
    stream.on('error', () => undefined).write(Buffer.from('00000100000a', 'hex'));
    session.on('error', () => undefined);
    await once(session, 'remoteSettings');
    stream.close(constants.NGHTTP2_CANCEL);
    session.destroy();
    expect((await clientOf(edgeUrl(server)).readMempool({})).items).toEqual([]);
  });
});
