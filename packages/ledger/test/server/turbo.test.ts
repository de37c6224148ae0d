import { expect, test } from 'vitest';
import { jsonOf, postJson } from '../../../server/test/http/client.ts';
import { served, tokenOf } from '../../../server/test/http/served.ts';
import { ledgerServer } from './ledger-client.ts';

test('programs of turbo-ledger find its paths and fields', async () => {
  const { server, client } = await ledgerServer({ turbo: true });
  const turbo = `${server.url}/turbo`;
  const created = await postJson(`${turbo}/wallets`, { wallet_id: 'ann', owner: 'Ann', tags: ['vip'], balance: 50 });
  expect([created.status, await created.json()]).toEqual([
    201,
    { wallet_id: 'ann', transactions: [], balance: 50, owner: 'Ann', tags: ['vip'] },
  ]);
  expect(
    (await postJson(`${turbo}/wallets`, { wallet_id: 'ann', owner: 'Ann', tags: ['vip'], balance: 50 })).status,
  ).toBe(409);
  expect((await postJson(`${turbo}/wallets`, { wallet_id: 'bob', owner: 'Bob', tags: ['rich'] })).status).toBe(201);
  const payment = {
    ...{ source_wallet: 'ann', destination_wallet: 'bob', amount: 5 },
    ...{ transaction_description: 'my tea', date: '2022-06-07T19:02:01.0Z' },
  };
  const paid = await postJson(`${turbo}/transactions`, payment, { 'idempotency-key': 'p' });
  expect([paid.status, await paid.json()]).toEqual([201, { transaction_id: 'p', ...payment }]);
  const again = await postJson(`${turbo}/transactions`, payment, { 'idempotency-key': 'p' });
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  for (const amount of [0, -1, 0.5, '5', 2 ** 53])
    expect((await postJson(`${turbo}/transactions`, { ...payment, amount })).status).toBe(400);
  expect((await postJson(`${turbo}/transactions`, { ...payment, amount: 46 })).status).toBe(422);
  const transaction = { transaction_id: 'p', ...payment };
  const found = async (path: string) => (await fetch(`${turbo}/wallets/${path}`)).json();
  const ann = {
    wallet_id: 'ann',
    data: {
      ...{ wallet_id: 'ann', balance: 45, owner: 'Ann', tags: ['vip'] },
      transactions: [expect.objectContaining({ source_wallet: 'vault', amount: 50 }), { ...transaction, amount: -5 }],
    },
  };
  const bob = {
    wallet_id: 'bob',
    data: { wallet_id: 'bob', balance: 5, owner: 'Bob', tags: ['rich'], transactions: [transaction] },
  };
  expect(await found('owner?query=Ann')).toEqual([ann]);
  expect(await found(`tags?query=${encodeURIComponent('vip | rich')}`)).toEqual([ann, bob]);
  expect(await found('owner?query=none')).toEqual([]);
  await client.post('/transfers', { source: 'vault', destination: 'bob', amount: (2n ** 53n).toString() }, 'much');
  expect((await fetch(`${turbo}/wallets/owner?query=Bob`)).status).toBe(422);
});

test('/turbo has the rights of the ledger, and is off by default', async () => {
  const tokens = [tokenOf('ann', ['ledger:transfer'], { owners: ['ann'] })];
  const server = await served(undefined, { tokens }, {}, {}, { ledger: { currency: 'ADA', turbo: true } });
  const headers = { authorization: 'Bearer ann' };
  expect((await postJson(`${server.url}/turbo/wallets`, { wallet_id: 'a', balance: 1 }, headers)).status).toBe(403);
  const steal = { source_wallet: 'vault', destination_wallet: 'vault', amount: 1 };
  expect((await postJson(`${server.url}/turbo/transactions`, steal, headers)).status).toBe(403);
  expect((await fetch(`${server.url}/turbo/wallets/owner?query=bob`, { headers })).status).toBe(403);
  expect((await fetch(`${server.url}/turbo/wallets/tags?query=vip`, { headers })).status).toBe(403);
  const off = await ledgerServer();
  const answer = await postJson(`${off.server.url}/turbo/transactions`, steal);
  expect([answer.status, (await jsonOf(answer)).code]).toEqual([404, 'ERR_SERVER_NOT_FOUND']);
});
