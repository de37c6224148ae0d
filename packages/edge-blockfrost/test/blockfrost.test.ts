import { BlockFrostAPI } from '@blockfrost/blockfrost-js';
import { syntheticChain } from 'cardano-chains';
import { readTransaction, transactionHash } from 'mempool-cardano';
import type { RunningServer, ServerOptions } from 'mempool-server';
import { describe, expect, test } from 'vitest';
import { keyAddress, payment } from '../../server/test/edges/payment.ts';
import { bearer, served, tokenOf } from '../../server/test/http/served.ts';

const onChain = { hash: 'ab'.repeat(32), index: 0 };
const noCollateral = { collateral: false, reference: false };

function blockfrost(mempool?: object, server: Partial<ServerOptions> = {}): Promise<RunningServer> {
  return served(mempool, server, {}, { blockfrost: { port: 0 } });
}

function clientOf({ edges }: RunningServer, projectId?: string): BlockFrostAPI {
  const network = projectId === undefined ? {} : ({ projectId, network: 'preview' } as const);
  return new BlockFrostAPI({ customBackend: edges.blockfrost as string, rateLimiter: false, ...network });
}

function post(server: RunningServer, path: string, body: Uint8Array | string, type = 'application/cbor') {
  const headers = { 'content-type': type };
  return fetch(`${server.edges.blockfrost}${path}`, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> });
}

/** Payments that spend outputs of the chain, each another one. */
function payments(count: number, address = keyAddress(1)): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => payment({ inputs: [{ ...onChain, index }], address }));
}

describe.each(['fifo', 'priority'] as const)('the client of Blockfrost on a %s pool', (ordering) => {
  test('submits, lists and reads a transaction until a block has it', async () => {
    const server = await blockfrost({ backend: 'ephemeral', ordering });
    const api = clientOf(server);
    const bytes = payment({ inputs: [onChain], amounts: [3_000_000, 4_000_000], fee: 180_000 });
    const { hash, outputs } = readTransaction(bytes);
    expect(await api.txSubmit(bytes)).toBe(hash);
    expect(await api.txSubmit(Buffer.from(bytes).toString('hex'))).toBe(hash);
    expect(await api.mempool()).toEqual([{ tx_hash: hash }]);
    expect(await api.mempoolTx(hash)).toMatchObject({
      tx: {
        ...{ hash, fees: '180000', deposit: '0', size: bytes.length, utxo_count: 3, valid_contract: true },
        ...{ output_amount: [{ unit: 'lovelace', quantity: '7000000' }], invalid_before: null },
      },
      inputs: [{ tx_hash: onChain.hash, output_index: 0, ...noCollateral }],
      outputs: [{ output_index: 0, address: outputs[0]?.address }, { output_index: 1 }],
      redeemers: [],
    });
    await server.pool.confirm({ point: { slot: 1, hash: '01'.repeat(32) }, seen: [hash], unseen: [] });
    await expect(api.mempoolTx(hash)).rejects.toMatchObject({ status_code: 404, error: 'Not Found' });
    expect(await api.mempool()).toEqual([]);
    await server.pool.rollback('origin');
    expect(await api.mempool()).toEqual([{ tx_hash: hash }]);
  });
});

test('pages are full up to the last one, in both orders, also while transactions come and go', async () => {
  const server = await blockfrost();
  const api = clientOf(server);
  const listed = async (order: 'asc' | 'desc' = 'asc') => (await api.mempoolAll({ order })).map((each) => each.tx_hash);
  expect(await listed()).toEqual([]);
  const [first, ...others] = payments(251).map((payload) => ({ hash: transactionHash(payload), payload }));
  const hashes = [first, ...others].map((each) => each?.hash as string);
  expect(await api.txSubmit(first?.payload as Uint8Array)).toBe(hashes[0]);
  await server.pool.receive(others);
  expect(await listed()).toEqual(hashes);
  expect(await listed('desc')).toEqual(hashes.toReversed());
  expect((await api.mempool({ page: 3, count: 100 })).map((each) => each.tx_hash)).toEqual(hashes.slice(200));
  expect(await api.mempool({ page: 4, count: 100 })).toEqual([]);
  expect(await api.mempool({ page: 21_474_836, count: 100 })).toEqual([]);
  await server.pool.drop(hashes.slice(0, 20), { app: 'test' });
  await server.pool.markInflight(hashes.slice(30, 60));
  const point = { slot: 1, hash: '01'.repeat(32) };
  await server.pool.confirm({ point, seen: hashes.slice(40, 50), unseen: [] });
  const left = [...hashes.slice(20, 40), ...hashes.slice(50)];
  expect(await listed()).toEqual(left);
  await server.pool.rollback('origin');
  expect(await listed('desc')).toEqual(hashes.slice(20).toReversed());
  expect((await api.mempool({ page: 2, count: 7, order: 'desc' })).map((each) => each.tx_hash)).toEqual(
    hashes.slice(20).toReversed().slice(7, 14),
  );
});

test('an address finds who pays to it, and who spends what a waiting transaction paid to it', async () => {
  const server = await blockfrost();
  const api = clientOf(server);
  const [a, b] = payments(2, keyAddress(1)) as [Uint8Array, Uint8Array];
  const parent = await api.txSubmit(a);
  const { address } = readTransaction(a).outputs[0] as { address: string };
  expect(await api.mempoolByAddress(address)).toEqual([{ tx_hash: parent }]);
  const child = await api.txSubmit(payment({ inputs: [{ hash: parent, index: 0 }], address: keyAddress(2) }));
  const stranger = await api.txSubmit(payment({ inputs: [{ ...onChain, index: 9 }], address: keyAddress(3) }));
  const other = await api.txSubmit(b);
  expect(await api.mempoolByAddress(address)).toEqual([parent, child, other].map((hash) => ({ tx_hash: hash })));
  expect(await api.mempoolByAddress(address, { order: 'desc', count: 1, page: 2 })).toEqual([{ tx_hash: child }]);
  expect(await api.mempoolTx(child)).toMatchObject({ inputs: [{ address, tx_hash: parent, ...noCollateral }] });
  const strangers = readTransaction(payment({ inputs: [onChain], address: keyAddress(3) })).outputs[0]?.address;
  expect(await api.mempoolByAddress(strangers as string)).toEqual([{ tx_hash: stranger }]);
  await server.pool.drop(parent, { app: 'test' });
  expect(await api.mempoolByAddress(address)).toEqual([{ tx_hash: other }]);
  await expect(api.mempoolByAddress('addr1?')).rejects.toMatchObject({ status_code: 400 });
});

test('transactions in the forms of real ones have the shape of Blockfrost', async () => {
  const server = await blockfrost();
  const api = clientOf(server);
  for (const { transactions } of syntheticChain({ blocks: 12 })) {
    for (const { hash, payload } of transactions) {
      expect(await api.txSubmit(payload)).toBe(hash);
      const { tx, outputs } = await api.mempoolTx(hash);
      expect(tx).toMatchObject({ hash, size: payload.length, fees: expect.stringMatching(/^\d+$/) });
      expect(outputs.length).toBeGreaterThan(0);
    }
  }
});

test('the token is the project', async () => {
  const token = 'previewSecret';
  const tokens = [
    tokenOf('wallet', ['read', 'submit'], { text: token }),
    tokenOf('reader', ['read'], { text: 'previewReader' }),
  ];
  const server = await blockfrost(undefined, { tokens });
  const [bytes] = payments(1) as [Uint8Array];
  const hash = await clientOf(server, token).txSubmit(bytes);
  expect(await clientOf(server, 'previewReader').mempool()).toEqual([{ tx_hash: hash }]);
  const refused = { status_code: 403, error: 'Forbidden' };
  await expect(clientOf(server, 'previewReader').txSubmit(bytes)).rejects.toMatchObject(refused);
  await expect(clientOf(server, 'previewWrong').mempool()).rejects.toMatchObject(refused);
  await expect(clientOf(server).mempoolTx(hash)).rejects.toMatchObject(refused);
  expect(await clientOf(server).health()).toEqual({ is_healthy: true });
  expect((await fetch(`${server.edges.blockfrost}/mempool`, { headers: bearer(token) })).status).toBe(200);
});

test('the paths of Blockfrost are also below /api/v0, and the Cardano submit API has its own', async () => {
  const server = await blockfrost();
  const [a, b] = payments(2) as [Uint8Array, Uint8Array];
  expect((await post(server, '/api/v0/tx/submit', a)).status).toBe(200);
  const accepted = await post(server, '/api/submit/tx', b);
  expect([accepted.status, await accepted.json()]).toEqual([202, readTransaction(b).hash]);
  const paths = ['/', '/health', '/health/clock', '/mempool', '/api/v0/', '/api/v0/health', '/api/v0/mempool'];
  for (const path of paths) expect((await fetch(`${server.edges.blockfrost}${path}`)).status, path).toBe(200);
  const { server_time: now } = await clientOf(server).healthClock();
  expect(Math.abs(Date.now() - now)).toBeLessThan(60_000);
  expect((await clientOf(server).root()).url).toMatch(/^https:/);
});

test('what is refused is refused with the codes and the form of Blockfrost', async () => {
  const maxBodyBytes = 5_000;
  const pool = { backend: 'ephemeral', ordering: 'priority', eviction: 'none', maxTxs: 1, maxTxBytes: 1_000 };
  const server = await blockfrost(pool, { maxBodyBytes, ratePerSecond: 1_000 });
  const [a, b] = payments(2) as [Uint8Array, Uint8Array];
  expect((await post(server, '/tx/submit', a)).status).toBe(200);
  const large = (count: number) =>
    payment({ inputs: Array.from({ length: count }, (_, index) => ({ ...onChain, index: 100 + index })) });
  const answers: readonly (readonly [number, string, Promise<Response>])[] = [
    [425, 'Mempool Full', post(server, '/tx/submit', b)],
    [413, 'Payload Too Large', post(server, '/tx/submit', large(30))],
    [413, 'Payload Too Large', post(server, '/tx/submit', large(200))],
    [400, 'Bad Request', post(server, '/tx/submit', payment({ inputs: [onChain], fee: 1 }))],
    [400, 'Bad Request', post(server, '/tx/submit', '')],
    [400, 'Bad Request', post(server, '/tx/submit', Buffer.from(a).toString('hex'))],
    [415, 'Unsupported Media Type', post(server, '/tx/submit', a, 'text/plain')],
    [404, 'Not Found', post(server, '/tx/evaluate', a)],
    [404, 'Not Found', fetch(`${server.edges.blockfrost}/txs/${readTransaction(a).hash}`)],
    [404, 'Not Found', fetch(`${server.edges.blockfrost}/mempool/${'0'.repeat(64)}`)],
    [400, 'Bad Request', fetch(`${server.edges.blockfrost}/mempool/0x12`)],
    [400, 'Bad Request', fetch(`${server.edges.blockfrost}/mempool?count=101`)],
    [400, 'Bad Request', fetch(`${server.edges.blockfrost}/mempool?page=0`)],
    [400, 'Bad Request', fetch(`${server.edges.blockfrost}/mempool?page=21474837`)],
    [400, 'Bad Request', fetch(`${server.edges.blockfrost}/mempool?order=up`)],
    [403, 'Forbidden', fetch(`${server.edges.blockfrost}/mempool`, { headers: { origin: 'https://evil.example' } })],
  ];
  for (const [code, error, answer] of answers) {
    const response = await answer;
    expect([response.status, await response.json()]).toEqual([
      code,
      { status_code: code, error, message: expect.stringMatching(/./) },
    ]);
  }
});

test('who asks too often gets 429', async () => {
  const server = await blockfrost(undefined, { ratePerSecond: 1 });
  const answers = await Promise.all([1, 2, 3].map(() => fetch(`${server.edges.blockfrost}/mempool`)));
  const late = answers.find(({ status }) => status === 429);
  expect(await late?.json()).toMatchObject({ status_code: 429, error: 'Project Over Limit' });
});
