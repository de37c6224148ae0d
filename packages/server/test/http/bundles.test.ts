import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RunningServer } from 'mempool-server';
import { ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { jsonOf, postJson } from './client.ts';
import { bearer, served, tokenOf } from './served.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const two = {
  transactions: [
    { payload: base64('nine'), verdict: { priority: '9', gas: 1, provides: ['a'] } },
    { payload: base64('one'), verdict: { priority: '1', gas: 1, requires: ['a'] } },
  ],
};
const hashes = [sha256('nine'), sha256('one')];

const places = {
  ephemeral: async () => ({ backend: 'ephemeral' }),
  sqlite: async () => ({ backend: 'sqlite', path: join(scratchFolder(), 'pool.sqlite') }),
  redis: async () => ({ backend: 'redis', url: (await ownServer()).url }),
};

async function serve(place: keyof typeof places, mempool: object = {}): Promise<RunningServer> {
  return served({ ...(await places[place]()), ordering: 'priority', ...mempool });
}

function send({ url }: { readonly url: string }, body: unknown, headers: Record<string, string> = {}) {
  return postJson(`${url}/api/v1/bundles`, body, headers);
}

for (const place of Object.keys(places) as (keyof typeof places)[]) {
  test(`a bundle is received, reaped and dropped as a whole, and a repeat answers the same on ${place}`, async () => {
    const server = await serve(place);
    const api = `${server.url}/api/v1`;
    const alone = { payload: base64('six'), verdict: { priority: '6', gas: 1 } };
    expect((await postJson(`${api}/transactions`, alone)).status).toBe(201);
    const key = { 'idempotency-key': 'first' };
    const [first, again] = [await send(server, two, key), await send(server, two, key)];
    const received = { kind: 'received', bundle: 2, transactions: hashes.map((hash, i) => ({ hash, seq: 2 + i })) };
    expect([first.status, await first.json()]).toEqual([201, received]);
    expect([again.status, await again.json()]).toEqual([201, received]);
    const other = await send(server, { transactions: two.transactions.slice(0, 1) }, key);
    expect([other.status, await other.json()]).toMatchObject([400, { field: 'Idempotency-Key' }]);
    for (const hash of hashes)
      expect(await jsonOf(await fetch(`${api}/transactions/${hash}`))).toMatchObject({ stage: 'Pending', bundle: 2 });
    for (const list of ['pending', 'best']) {
      const { items } = await jsonOf(await fetch(`${api}/transactions?stage=${list}`));
      expect((items as { readonly bundle?: number }[]).map((item) => item.bundle)).toEqual([undefined, 2, 2]);
    }
    const reaped = async (maxTxs: number) => {
      const { items } = await jsonOf(await fetch(`${api}/reap?maxTxs=${maxTxs}`));
      return (items as { readonly hash: string }[]).map(({ hash }) => hash);
    };
    expect(await reaped(2)).toEqual([sha256('six')]);
    expect(await reaped(3)).toEqual([sha256('six'), ...hashes]);
    await postJson(`${api}/transactions/${hashes[1]}/drop`, { reason: 'invalid' });
    for (const hash of hashes) {
      const status = await jsonOf(await fetch(`${api}/transactions/${hash}`));
      expect([status.stage, status.bundle]).toEqual(['Dropped', undefined]);
    }
  });

  test(`a bundle that is refused changes nothing on ${place}`, async () => {
    const server = await serve(place, { maxTxGas: 10, maxTxBytes: 100, maxTxs: 3 });
    const api = `${server.url}/api/v1`;
    await postJson(`${api}/transactions`, { payload: base64('six'), verdict: { priority: '6', provides: ['six'] } });
    const [nine] = two.transactions;
    const refusals: readonly (readonly [last: object, status: number, refusal: object])[] = [
      [{ payload: base64('six') }, 409, { kind: 'duplicate', hash: sha256('six'), stage: 'Pending' }],
      [{ payload: base64('x'), verdict: { provides: ['six'] } }, 409, { kind: 'conflict', with: sha256('six') }],
      [{ payload: base64('x'), verdict: { requires: ['missing'] } }, 409, { kind: 'not-ready', hash: hashes[0] }],
      [{ payload: base64('x'), verdict: { gas: 11 } }, 422, { kind: 'limit', limit: 'maxTxGas', hash: sha256('x') }],
      [{ payload: base64('x'.repeat(101)) }, 413, { kind: 'too-large', maxTxBytes: 100 }],
    ];
    const before = await jsonOf(await fetch(`${api}/usage`));
    for (const [last, status, refusal] of refusals) {
      const answer = await send(server, { transactions: [nine, last] });
      const told = await jsonOf(answer);
      expect([answer.status, told.code, told.outcome]).toMatchObject([
        status,
        'ERR_SERVER_REFUSED',
        { kind: 'refused', refusal },
      ]);
    }
    expect(await jsonOf(await fetch(`${api}/usage`))).toEqual(before);
  });
}

test('a bundle that is malformed is answered with the field', async () => {
  const server = await serve('ephemeral');
  const [nine] = two.transactions;
  const many = Array.from({ length: 101 }, (_, i) => ({ payload: base64(`${i}`) }));
  const malformed: readonly (readonly [body: unknown, field: string])[] = [
    [{ transactions: [] }, 'transactions'],
    [{ transactions: many }, 'transactions'],
    [{ transactions: [nine, nine] }, 'transactions'],
    [two.transactions, 'body'],
    [{ ...two, blockNumber: 1 }, 'blockNumber'],
    [{ transactions: [{ payload: 'no base64!' }] }, 'transactions.0.payload'],
    [{ transactions: [{ ...nine, verdict: { maxPriority: '2', tip: '1' } }] }, 'transactions[0].verdict.tip'],
    [{ transactions: [{ ...nine, verdict: { weight2: 1 } }] }, 'transactions[0].verdict.weight2'],
  ];
  for (const [body, field] of malformed) {
    const answer = await send(server, body);
    expect([answer.status, (await jsonOf(answer)).field]).toEqual([400, field]);
  }
  expect(await server.pool.usage()).toMatchObject({ pending: 0, lastSeq: 0 });
});

test('a bundle needs a priority pool, the scope submit, room for its body, and counts each transaction against the rate', async () => {
  const fifo = await send(await served(), two);
  expect([fifo.status, await fifo.json()]).toMatchObject([422, { code: 'ERR_MEMPOOL_UNSUPPORTED' }]);
  const pool = { backend: 'ephemeral', ordering: 'priority' };
  const tokens = [tokenOf('reader', ['read']), tokenOf('searcher', ['submit'])];
  const server = await served(pool, { tokens, ratePerSecond: 2, maxBodyBytes: 1_000 });
  expect((await send(server, two)).status).toBe(401);
  expect((await send(server, two, bearer('reader'))).status).toBe(403);
  expect((await send(server, two, bearer('searcher'))).status).toBe(201);
  const slow = await served(pool, { ratePerSecond: 1 });
  expect((await send(slow, two)).status).toBe(201);
  const refused = await send(slow, two);
  // One request at once and one owed, which must be there again before the next.
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  expect((await slow.pool.usage()).lastSeq).toBe(2);
  const small = await served(pool, { maxBodyBytes: 100 });
  expect((await send(small, two)).status).toBe(413);
});

test('each transaction of a list counts against the rate', async () => {
  const server = await served({ backend: 'ephemeral' }, { ratePerSecond: 1 });
  const submit = () =>
    fetch(`${server.url}/api/v1/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(two.transactions.map(({ payload }) => ({ payload }))),
    });
  expect((await submit()).status).toBe(200);
  const refused = await submit();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  expect((await server.pool.usage()).lastSeq).toBe(2);
});

test('the example of the OpenAPI document is a bundle that is received', async () => {
  const server = await serve('ephemeral');
  const { components } = await jsonOf(await fetch(`${server.url}/openapi.json`));
  const { Bundle, BundleOutcome } = (components as { readonly schemas: Record<string, { readonly example?: unknown }> })
    .schemas;
  await server.pool.receive([1, 2, 3, 4, 5, 6].map((n) => ({ hash: `0${n}`, payload: Buffer.of(n) })));
  const answer = await send(server, Bundle?.example);
  expect([answer.status, await answer.json()]).toEqual([201, BundleOutcome?.example]);
});
