import { expect, test } from 'vitest';
import { bearer, tokenOf } from '../../server/test/http/served.ts';
import { call, edge, post, type RpcReply } from './rpc.ts';
import { signed } from './wallet.ts';

const chainIdCall = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };

/** The codes of the answers to a body, in their order. 0: no error. */
async function codes(url: string, body: string): Promise<unknown> {
  const answer = await post(url, body);
  if (answer.status === 204) return null;
  const reply = (await answer.json()) as RpcReply | RpcReply[];
  const code = ({ error }: RpcReply): number => error?.code ?? 0;
  return Array.isArray(reply) ? reply.map(code) : code(reply);
}

test('errors are those of JSON-RPC 2.0', async () => {
  const { url } = await edge();
  const of = (changed: object): string => JSON.stringify({ ...chainIdCall, ...changed });
  const table: readonly (readonly [string, unknown])[] = [
    ['', -32700],
    ['{', -32700],
    ['[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{]', -32700],
    ['[]', -32600],
    ['1', -32600],
    ['null', -32600],
    ['"eth_chainId"', -32600],
    ['[1,2]', [-32600, -32600]],
    ['{}', -32600],
    [of({ jsonrpc: '1.0' }), -32600],
    [of({ method: 1 }), -32600],
    [of({ params: { a: 1 } }), -32602],
    [of({ params: 'a' }), -32602],
    [of({ params: null }), 0],
    [of({ method: 'constructor' }), -32601],
    [of({ method: '__proto__' }), -32601],
    [of({ method: 'eth_sendRawTransaction' }), -32602],
    [of({ method: 'eth_sendRawTransaction', params: ['0x0'] }), -32602],
    [of({ method: 'eth_sendRawTransaction', params: [{}] }), -32602],
    [of({ method: 'eth_getTransactionByHash', params: ['0x12'] }), -32602],
    [of({ method: 'eth_getTransactionCount', params: ['0x12', 'pending'] }), -32602],
    [of({ method: 'eth_getTransactionCount', params: [`0x${'1'.repeat(40)}`, 'earliest'] }), -32602],
    [of({ method: 'eth_getTransactionReceipt', params: ['0x12'] }), -32602],
    [of({ method: 'eth_getBlockByNumber' }), -32602],
    [of({ method: 'eth_getBlockByNumber', params: ['finalized', false] }), -32602],
    [of({ method: 'eth_getBlockByHash', params: ['0x12', false] }), -32602],
    [of({ method: 'eth_blockNumber' }), 0],
    [of({ method: 'eth_gasPrice' }), -32601],
    [of({ method: 'eth_getFilterChanges', params: ['0x12'] }), -32000],
    [of({ method: 'eth_subscribe', params: ['newPendingTransactions'] }), -32601],
    [JSON.stringify([chainIdCall, { ...chainIdCall, method: 'no' }]), [0, -32601]],
    [JSON.stringify(new Array(1_001).fill(chainIdCall)), -32600],
    // Notifications have no answer, not even an error.
    [JSON.stringify({ jsonrpc: '2.0', method: 'eth_chainId' }), null],
    [JSON.stringify([{ jsonrpc: '2.0', method: 'no' }]), null],
    [JSON.stringify([{ jsonrpc: '2.0', method: 'no' }, chainIdCall]), [0]],
    // The last of two keys counts, as JSON.parse has it.
    ['{"jsonrpc":"2.0","id":1,"method":"no","method":"eth_chainId"}', 0],
    [`${'['.repeat(1_000)}${']'.repeat(1_000)}`, [-32600]],
    [of({ params: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) }), 0],
  ];
  for (const [body, expected] of table)
    expect([body.slice(0, 80), await codes(url, body)]).toEqual([body.slice(0, 80), expected]);
  expect(await codes(url, Buffer.from([0x22, 0xff, 0x22]).toString('latin1'))).toBe(-32600);
  const broken = await post(url, new Uint8Array([0x22, 0xff, 0x22]));
  expect(((await broken.json()) as RpcReply).error?.code).toBe(-32700);
});

test('an id comes back as it was, or is refused', async () => {
  const { url } = await edge();
  for (const [given, expected] of [
    ['1', 1],
    ['-7', -7],
    ['1.5', 1.5],
    ['"a"', 'a'],
    ['""', ''],
    ['null', null],
  ] as const) {
    const answer = await post(url, `{"jsonrpc":"2.0","id":${given},"method":"eth_chainId"}`);
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: expected, result: '0x7a69' });
  }
  for (const given of ['12345678901234567890', '1e400', 'true', '[1]', '{"a":1}']) {
    const answer = await post(url, `{"jsonrpc":"2.0","id":${given},"method":"eth_chainId"}`);
    expect(await answer.json()).toMatchObject({ id: null, error: { code: -32600 } });
  }
});

test('what is no call is refused as HTTP does', async () => {
  const { url, socketUrl } = await edge(undefined, {}, { maxBodyBytes: 1_000, allowedHosts: [] });
  expect((await fetch(url)).status).toBe(405);
  expect((await post(url, JSON.stringify(chainIdCall), { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await post(url, 'a'.repeat(1_001))).status).toBe(413);
  const headers = { origin: 'https://evil.example' };
  const foreign = await post(url, JSON.stringify(chainIdCall), headers);
  expect([foreign.status, await foreign.json()]).toEqual([
    403,
    { jsonrpc: '2.0', id: null, error: { code: 4100, message: expect.any(String) } },
  ]);
  const socket = new WebSocket(socketUrl, { headers } as never);
  await expect(opened(socket)).rejects.toThrow('closed');
});

/** Resolves when a socket is open. */
function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error('closed'));
  });
}

const secret = 'mp_0123456789abcdef';
const readOnly = 'mp_only_for_reading';
const tokens = [
  tokenOf('wallet', ['read', 'submit'], { text: secret }),
  tokenOf('reader', ['read'], { text: readOnly }),
];

test('a token is in the header or in the path, and has its scopes', async () => {
  const logged: string[] = [];
  const log = (...line: readonly unknown[]): void => void logged.push(JSON.stringify(line));
  const { url, socketUrl } = await edge(undefined, {}, { tokens }, { log });
  const body = JSON.stringify(chainIdCall);
  expect((await post(url, body)).status).toBe(401);
  expect((await post(`${url}/wrong`, body)).status).toBe(401);
  expect((await post(url, body, bearer(secret))).status).toBe(200);
  expect((await call(`${url}/${secret}`, 'eth_chainId')).result).toBe('0x7a69');
  const raw = await signed({ nonce: 0 });
  expect((await call(`${url}/${readOnly}`, 'eth_sendRawTransaction', raw)).error?.code).toBe(4100);
  expect((await call(`${url}/${secret}`, 'evm_mine')).error?.code).toBe(4100);
  expect((await call(`${url}/${secret}`, 'eth_sendRawTransaction', raw)).result).toMatch(/^0x/);
  // The filter of one is not another's.
  const { result: filter } = await call(`${url}/${secret}`, 'eth_newPendingTransactionFilter');
  expect((await call(`${url}/${readOnly}`, 'eth_getFilterChanges', filter)).error?.code).toBe(-32000);
  expect((await call(`${url}/${readOnly}`, 'eth_uninstallFilter', filter)).result).toBe(false);
  expect((await call(`${url}/${secret}`, 'eth_uninstallFilter', filter)).result).toBe(true);

  await expect(opened(new WebSocket(socketUrl))).rejects.toThrow('closed');
  await expect(opened(new WebSocket(`${socketUrl}/wrong`))).rejects.toThrow('closed');
  const socket = new WebSocket(`${socketUrl}/${secret}`);
  await opened(socket);
  socket.close();
  expect(logged.join()).not.toContain('mp_');
});

test('each call of a batch counts against the rate', async () => {
  const { url } = await edge(undefined, {}, { ratePerSecond: 5 });
  const batch = new Array(8).fill(chainIdCall);
  const answer = (await codes(url, JSON.stringify(batch))) as number[];
  expect(answer.filter((code) => code === -32005).length).toBeGreaterThanOrEqual(2);
  const single = await post(url, JSON.stringify(chainIdCall));
  expect([single.status, single.headers.get('retry-after')]).toEqual([429, '1']);
});
