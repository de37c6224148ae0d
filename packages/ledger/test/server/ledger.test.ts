import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { firstEvents } from '../../../server/test/http/client.ts';
import { served, tokenOf } from '../../../server/test/http/served.ts';
import { LedgerClient, ledgerOf, ledgerServer } from './ledger-client.ts';

const max = (2n ** 63n - 1n).toString();

test('money comes out of the vault, moves, is reserved, posted in part and voided', async () => {
  const { server, client } = await ledgerServer({ decimals: 2 });
  const wallet = { id: 'alice', owner: 'Alice & Söhne', tags: ['vip', 'a,b'] };
  expect(await client.post('/wallets', wallet)).toMatchObject({ status: 201, replayed: false });
  expect(await client.post('/wallets', wallet)).toMatchObject({ status: 201, replayed: true });
  expect(await client.post('/wallets', { ...wallet, tags: [] })).toMatchObject({
    status: 409,
    body: { outcome: 'wallet_exists', code: 'ERR_SERVER_REFUSED' },
  });
  await client.post('/wallets', { id: 'bob/ü?', owner: 'bob', tags: ['vip'] });
  await client.post('/transfers', { source: '~vault', destination: 'alice', amount: '100' }, 'fund-alice');
  const move = { source: 'alice', destination: 'bob/ü?', amount: '30', description: 'tea', metadata: { order: '7' } };
  const moved = await client.post('/transfers', move, 't1');
  expect(moved).toMatchObject({ status: 201, replayed: false, body: { id: 't1', state: 'posted', amount: '30' } });
  expect(await client.post('/transfers', { id: 't1', ...move })).toEqual({ ...moved, replayed: true });
  expect(await client.post('/transfers', { ...move, amount: '31' }, 't1')).toMatchObject({
    status: 409,
    body: { outcome: 'id_conflict' },
  });
  const reserve = { kind: 'reserve', source: 'alice', destination: 'bob/ü?', amount: '60' };
  expect(await client.post('/transfers', reserve, 'r/1')).toMatchObject({ status: 201, body: { state: 'pending' } });
  expect(await client.get('/wallets/alice')).toMatchObject({ body: { balance: '70', available: '10' } });
  expect(await client.get('')).toMatchObject({
    status: 200,
    body: { currency: 'ADA', decimals: 2, issued: '100', seq: 6 },
  });
  const refused = { status: 422, body: { outcome: 'insufficient_funds', transfer: { state: 'refused' } } };
  expect(await client.post('/transfers', move, 't2')).toMatchObject({ ...refused, replayed: false });
  expect(await client.post('/transfers', move, 't2')).toMatchObject({ ...refused, replayed: true });
  expect(await client.post('/transfers/r%2F1/post', { amount: '61' }, 'p0')).toMatchObject({
    status: 422,
    body: { outcome: 'exceeds_pending_amount' },
  });
  expect(await client.post('/transfers/r%2F1/post', { amount: '50' }, 'p1')).toMatchObject({
    status: 201,
    body: { amount: '50', released: '60', pendingId: 'r/1' },
  });
  expect(await client.post('/transfers/r%2F1/void', {}, 'v1')).toMatchObject({
    status: 409,
    body: { outcome: 'pending_already_posted' },
  });
  expect(await client.get('/transfers/r%2F1')).toMatchObject({ body: { state: 'posted', amount: '60' } });
  expect(await client.get('/wallets/bob%2F%C3%BC%3F')).toMatchObject({ body: { balance: '80', creditsPending: '0' } });
  const history = await client.get('/wallets/alice/transfers?limit=2');
  expect(history.body).toMatchObject({ items: [{ id: 'fund-alice' }, { id: 't1' }], next: '5' });
  const rest = await client.get(`/wallets/alice/transfers?after=${history.body.next}`);
  expect(rest.body).toMatchObject({ items: [{ id: 'r/1' }, { id: 'p1' }], next: null });
  const found = async (query: string) =>
    ((await client.get(`/wallets?${query}`)).body.items as { readonly id: string }[]).map(({ id }) => id);
  expect(await found('tag=vip&tag=a%2Cb')).toEqual(['alice']);
  expect(await found('tag=vip&tag=a%2Cb&match=any')).toEqual(['alice', 'bob/ü?']);
  expect(await found(`owner=${encodeURIComponent('Alice & Söhne')}`)).toEqual(['alice']);
  expect(await found('limit=1')).toEqual(['~vault']);
  expect(await client.send('PATCH', '/wallets/alice/tags', { tags: ['poor'] })).toMatchObject({
    status: 200,
    body: { tags: ['poor'] },
  });
  expect(await client.post('/wallets/alice/close', {})).toMatchObject({
    status: 409,
    body: { outcome: 'wallet_not_empty' },
  });
  expect(await client.get('/audit')).toMatchObject({ status: 200, body: { ok: true, faults: [], wallets: 3 } });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('mempool_ledger_calls_total{kind="transfer",outcome="insufficient_funds"} 2');
  expect(metrics).toContain('mempool_ledger_store_up 1');
});

test('amounts are whole minor units as text, exact up to 2^63 − 1; all else is malformed', async () => {
  const { client } = await ledgerServer();
  for (const id of ['a', 'b']) await client.post('/wallets', { id, owner: 'x' });
  const given: unknown[] = ['1e3', '0.5', '-1', '01', '0', '', ' 1', '+1', '1n', '0x1', 1, 1.5, null, true, {}, []];
  for (const amount of [...given, (2n ** 63n).toString(), '9'.repeat(400)]) {
    const move = { source: '~vault', destination: 'a', amount };
    expect(await client.post('/transfers', move, 'x')).toMatchObject({ status: 400, body: { field: 'amount' } });
  }
  expect((await client.get('/transfers/x')).status).toBe(404);
  const all = { source: '~vault', destination: 'a', amount: max };
  expect(await client.post('/transfers', all, 'all')).toMatchObject({ status: 201, body: { amount: max } });
  expect(await client.post('/transfers', { ...all, amount: '1' }, 'more')).toMatchObject({
    status: 422,
    body: { outcome: 'overflow' },
  });
  const odd = (2n ** 53n + 1n).toString();
  await client.post('/transfers', { source: 'a', destination: 'b', amount: odd }, 'odd');
  expect(await client.get('/wallets/b')).toMatchObject({ body: { balance: odd } });
});

test('malformed requests are refused naming the field', async () => {
  const { client } = await ledgerServer();
  const move = { source: '~vault', destination: 'a', amount: '1' };
  const cases: [unknown, string | undefined, string][] = [
    [{ ...move, more: 1 }, 'i', 'more'],
    [{ ...move, kind: 'steal' }, 'i', 'kind'],
    [{ ...move, timeoutMs: 5 }, 'i', 'timeoutMs'],
    [{ ...move, kind: 'reserve', timeoutMs: 0 }, 'i', 'timeoutMs'],
    [{ ...move, id: 'j' }, 'i', 'id'],
    [{ ...move, metadata: { a: 1 } }, 'i', 'metadata.a'],
    [{ ...move, metadata: ['a'] }, 'i', 'metadata'],
    [move, undefined, 'id'],
    [{ kind: 'void', pendingId: 'r' }, undefined, 'id'],
    [{ ...move, description: 'a\nb' }, 'i', 'description'],
  ];
  for (const [body, key, field] of cases)
    expect(await client.post('/transfers', body, key)).toMatchObject({ status: 400, body: { field } });
  const transfers = [
    { ...move, id: 'i' },
    { ...move, id: 'j', metadata: { a: 1 } },
  ];
  expect(await client.post('/transfers/batch', { transfers })).toMatchObject({
    body: { field: 'transfers.1.metadata.a' },
  });
  for (const body of [move, { ...move, id: '' }, { ...move, id: '~x' }])
    expect(await client.post('/transfers', body)).toMatchObject({ status: 400, body: { outcome: 'invalid_id' } });
  expect(await client.get('/wallets?limit=0')).toMatchObject({ status: 400, body: { field: 'limit' } });
  expect(await client.get('/wallets?owner=a&owner=b')).toMatchObject({ status: 400, body: { field: 'owner' } });
  expect((await client.get('/wallets/none')).body).toMatchObject({ outcome: 'wallet_not_found', status: 404 });
  expect((await client.get('/wallets/none/transfers')).status).toBe(404);
  expect((await client.post('/transfers', move, 'i')).body).toMatchObject({
    ...{ status: 404, outcome: 'destination_wallet_not_found' },
  });
});

test('odd ids are found by their path; those that a URL cannot have are refused when they would be made', async () => {
  const { server, client } = await ledgerServer();
  const odd = [
    '%2f',
    '%25',
    '/',
    '...',
    'a~',
    '__proto__',
    'constructor',
    'ü?#&=',
    '\u{1f600}',
    ' ',
    '%',
    '\\',
    'a/../b',
    'x;y',
  ];
  for (const id of odd) {
    const path = encodeURIComponent(id);
    expect(await client.post('/wallets', { id, owner: id })).toMatchObject({ status: 201, body: { id } });
    expect(await client.get(`/wallets/${path}`)).toMatchObject({ status: 200, body: { id, balance: '0' } });
    expect(await client.send('PATCH', `/wallets/${path}/tags`, { tags: [id] })).toMatchObject({ body: { tags: [id] } });
    expect(await client.get(`/wallets?tag=${path}`)).toMatchObject({ body: { items: [{ id }] } });
    const held = { kind: 'reserve', id: `r${id}`, source: '~vault', destination: id, amount: '2' };
    expect(await client.post('/transfers', held)).toMatchObject({ status: 201, body: { id: held.id } });
    const post = `/transfers/${encodeURIComponent(held.id)}/post`;
    expect(await client.post(post, { id: `p${id}` })).toMatchObject({ status: 201, body: { destination: id } });
    expect(await client.get(`/wallets/${path}/transfers`)).toMatchObject({ body: { items: [{ id: held.id }, {}] } });
  }
  const refused = { status: 400, body: { outcome: 'invalid_id', field: 'id' } };
  const before = await ledgerOf(server)?.head();
  for (const id of ['.', '..']) {
    expect(await client.post('/wallets', { id, owner: 'x' })).toMatchObject(refused);
    const move = { source: '~vault', destination: '/', amount: '1' };
    expect(await client.post('/transfers', move, id)).toMatchObject(refused);
    expect(await client.post('/transfers/batch', { transfers: [{ ...move, id }] })).toMatchObject(refused);
    expect(await client.post('/transfers/r~/void', {}, id)).toMatchObject(refused);
  }
  expect(await ledgerOf(server)?.head()).toBe(before);
});

test('metadata comes back as it was sent, whatever its keys are called', async () => {
  const { client } = await ledgerServer();
  await client.post('/wallets', { id: 'a', owner: 'x' });
  const metadata: Record<string, string> = JSON.parse('{"":"empty","__proto__":"p","constructor":"c"}');
  const move = { source: '~vault', destination: 'a', amount: '1' };
  const moved = await client.post('/transfers', { ...move, metadata }, 'm');
  expect(JSON.stringify(moved.body.metadata)).toBe(JSON.stringify(metadata));
  expect((await client.get('/transfers/m')).body).toEqual(moved.body);
  const other = { ...move, metadata: { '': 'empty', constructor: 'c' } };
  expect(await client.post('/transfers', other, 'm')).toMatchObject({ status: 409, body: { outcome: 'id_conflict' } });
});

test('a batch: each alone, or a chain that is whole', async () => {
  const { client } = await ledgerServer();
  await client.fund('a', 'x', '10');
  await client.post('/wallets', { id: 'b', owner: 'x' });
  const move = (id: string, amount: string) => ({ id, source: 'a', destination: 'b', amount });
  const alone = await client.post('/transfers/batch', { transfers: [move('1', '6'), move('2', '6'), move('3', '4')] });
  expect(alone).toMatchObject({
    status: 200,
    body: { items: [{ outcome: 'created' }, { outcome: 'insufficient_funds' }, { outcome: 'created' }] },
  });
  const back = { id: '4', source: 'b', destination: 'a', amount: '10' };
  const chain = await client.post('/transfers/batch', { linked: true, transfers: [back, move('5', '11')] });
  expect(chain).toMatchObject({
    status: 422,
    body: { outcome: 'linked_failed', items: [{ outcome: 'linked_failed' }, { outcome: 'insufficient_funds' }] },
  });
  const reserve = { kind: 'reserve', ...move('6', '10') };
  const linked = [{ ...back, id: '7' }, reserve, { kind: 'post', id: '8', pendingId: '6' }];
  expect((await client.post('/transfers/batch', { linked: true, transfers: linked })).status).toBe(200);
  expect(await client.get('/wallets/b')).toMatchObject({ body: { balance: '10' } });
});

test('every record is an event, once and in order, from any position', async () => {
  const { client } = await ledgerServer();
  const live = client.events('0');
  await client.fund('a', 'x', '5');
  const events = await firstEvents(await live, 3);
  expect(events.map(({ id, event }) => [id, event])).toEqual([
    ['1', 'wallet'],
    ['2', 'wallet'],
    ['3', 'transfer'],
  ]);
  expect(JSON.parse(events[2]?.data ?? '')).toMatchObject({ seq: 3, transfer: { id: 'fund-a', amount: '5' } });
  expect(await firstEvents(await client.events('2'), 1)).toEqual([events[2]]);
  expect((await client.events('x')).status).toBe(400);
});

test('a token moves the money of its owners alone, and an administrator makes wallets', async () => {
  const tokens = [
    tokenOf('admin', ['ledger:admin']),
    tokenOf('reader', ['ledger:read']),
    tokenOf('ann', ['ledger:transfer'], { owners: ['ann'] }),
    tokenOf('shop', ['ledger:transfer'], { owners: ['bob', 'cid'] }),
    tokenOf('all', ['ledger:transfer'], { owners: 'all' }),
    tokenOf('pool', ['read', 'admin']),
  ];
  const server = await served(undefined, { tokens }, {}, {}, { ledger: { currency: 'ADA' } });
  const as = (name?: string) => new LedgerClient(server.url, name);
  for (const owner of ['ann', 'bob']) await as('admin').fund(owner, owner, '10');
  const move = { source: 'ann', destination: 'bob', amount: '1' };
  expect((await as().post('/transfers', move, '1')).status).toBe(401);
  for (const name of ['reader', 'shop', 'pool'])
    expect(await as(name).post('/transfers', move, '1')).toMatchObject({
      status: 403,
      body: { code: 'ERR_SERVER_SCOPE' },
    });
  expect((await as('ann').post('/transfers', move, '1')).status).toBe(201);
  const status = async (name: string, path: string) => (await as(name).get(path)).status;
  expect(await status('ann', '/wallets/ann')).toBe(200);
  expect(await status('ann', '/wallets/bob')).toBe(403);
  expect(await status('ann', '/wallets')).toBe(403);
  expect(await status('ann', '/wallets?owner=bob')).toBe(403);
  expect(await status('ann', '/wallets?owner=ann')).toBe(200);
  expect(await status('ann', '/wallets/bob/transfers')).toBe(403);
  expect(await status('shop', '/transfers/1')).toBe(200);
  expect(await status('shop', '/transfers/fund-ann')).toBe(403);
  expect(await status('ann', '/audit')).toBe(403);
  expect(await status('ann', '/events')).toBe(403);
  expect(await status('reader', '/wallets/bob')).toBe(200);
  expect(await status('reader', '/audit')).toBe(200);
  expect((await as('ann').post('/wallets', { id: 'more', owner: 'ann' })).status).toBe(403);
  await ledgerOf(server)?.debtWallet('ADA');
  for (const name of ['ann', 'all'])
    for (const source of ['~vault', '~debt.ADA']) {
      expect((await as(name).post('/transfers', { ...move, source }, `v-${name}`)).status).toBe(403);
      expect((await as(name).post(`/wallets/${source}/close`, {}, `c-${name}`)).status).toBe(403);
      expect((await as(name).post('/wallets', { id: source, owner: name })).status).toBe(403);
      expect((await as('ann').get(`/wallets/${source}`)).status).toBe(403);
      expect((await as('ann').get(`/wallets/${source}/transfers`)).status).toBe(403);
    }
  for (const kind of ['post', 'void'])
    expect((await as('all').post(`/transfers/~pool.1/${kind}`, {}, `s-${kind}`)).status).toBe(403);
  expect((await as('all').post('/transfers', move, '2')).status).toBe(201);
  const reserve = { ...move, kind: 'reserve' };
  expect((await as('ann').post('/transfers', reserve, 'r')).status).toBe(201);
  const mixed = {
    transfers: [
      { ...move, source: 'bob', destination: 'ann', id: '8' },
      { ...move, id: '9' },
    ],
  };
  expect((await as('shop').post('/transfers/batch', mixed)).status).toBe(403);
  expect((await as('admin').get('/transfers/8')).status).toBe(404);
  const early = [{ kind: 'post', id: 'e1', pendingId: 'e0' }];
  expect((await as('ann').post('/transfers/batch', { transfers: early })).body).toMatchObject({
    outcome: 'pending_not_found',
  });
  const chain = [
    { ...reserve, id: 'c0' },
    { kind: 'post', id: 'c1', pendingId: 'c0' },
  ];
  const linked = (transfers: readonly object[]) => as('ann').post('/transfers/batch', { transfers, linked: true });
  expect((await linked(chain)).status).toBe(403);
  expect((await linked([{ ...chain[0], arbiter: 'ann' }, chain[1] ?? {}])).status).toBe(200);
  expect((await as('shop').post('/transfers/r/post', {}, 'p')).status).toBe(201);
  expect(await as('reader').get('/audit')).toMatchObject({ body: { ok: true } });
});

test.for(['memory', 'sqlite', 'redis'] as const)(
  'on %s, a token ends a reservation by its role in it',
  async (backend) => {
    const tokens = ['payer', 'payee', 'arbiter', 'other'].map((name) =>
      tokenOf(name, ['ledger:transfer'], { owners: [name] }),
    );
    const path = join(scratchFolder(), 'pool.sqlite');
    const mempool = {
      memory: { backend: 'ephemeral' },
      sqlite: { backend, path },
      redis: { backend, url: inject('redisUrl'), pool: randomUUID() },
    }[backend];
    const all = [...tokens, tokenOf('admin', ['ledger:admin'])];
    const section = { ledger: { currency: 'ADA', name: randomUUID() } };
    const server = await served(mempool, { tokens: all }, {}, {}, section);
    const as = (name: string) => new LedgerClient(server.url, name);
    for (const owner of ['payer', 'payee']) await as('admin').fund(owner, owner, '100');
    const ends: readonly [who: string, kind: string, terms: object, status: number][] = [
      ['payer', 'post', {}, 403],
      ['payer', 'void', {}, 403],
      ['payer', 'post', { payerMayVoid: true }, 403],
      ['payer', 'void', { payerMayVoid: true }, 201],
      ['payer', 'void', { timeoutMs: 3_600_000 }, 403],
      ['payee', 'post', {}, 201],
      ['payee', 'void', {}, 201],
      ['arbiter', 'post', {}, 403],
      ['arbiter', 'void', { payerMayVoid: true }, 403],
      ['arbiter', 'post', { arbiter: 'arbiter' }, 201],
      ['arbiter', 'void', { arbiter: 'arbiter' }, 201],
      ['other', 'post', { arbiter: 'arbiter', payerMayVoid: true }, 403],
      ['other', 'void', { arbiter: 'arbiter', payerMayVoid: true }, 403],
      ['admin', 'post', {}, 201],
      ['admin', 'void', {}, 201],
    ];
    for (const [n, [who, kind, terms, status]] of ends.entries()) {
      const hold = { kind: 'reserve', source: 'payer', destination: 'payee', amount: '1', ...terms };
      expect((await as('payer').post('/transfers', hold, `r${n}`)).status).toBe(201);
      const said = `${who} ${kind} ${JSON.stringify(terms)}`;
      expect([said, (await as(who).post(`/transfers/r${n}/${kind}`, {}, `e${n}`)).status]).toEqual([said, status]);
      if (status === 201) expect((await as(who).get(`/transfers/r${n}`)).status).toBe(200);
      const batch = { transfers: [{ kind, id: `b${n}`, pendingId: `r${n}` }] };
      const again = (await as(who).post('/transfers/batch', batch)).status;
      expect([said, again]).toEqual([said, status === 201 ? 200 : 403]);
      const state = status === 403 ? 'pending' : kind === 'post' ? 'posted' : 'voided';
      expect((await as('admin').get(`/transfers/r${n}`)).body).toMatchObject({ state });
    }
    const held = { source: 'payer', destination: 'payee', amount: 1n, currency: 'ADA', payerMayVoid: true } as const;
    const call = { ...held, kind: 'reserve', id: '~pool.1', arbiter: 'arbiter' } as const;
    expect(await ledgerOf(server)?.settle('pool', [call], [])).toMatchObject({ outcome: 'settled' });
    for (const who of ['payer', 'payee', 'arbiter'])
      for (const kind of ['post', 'void'])
        expect(await as(who).post(`/transfers/~pool.1/${kind}`, {}, `s-${who}-${kind}`)).toMatchObject({
          status: 403,
          body: { code: 'ERR_SERVER_SCOPE' },
        });
    const outOfVault = { kind: 'reserve', source: '~vault', destination: 'payee', amount: '1' };
    expect((await as('payee').post('/transfers', outOfVault, 'out')).status).toBe(403);
    expect((await as('admin').post('/transfers/~pool.1/void', {}, 's')).status).toBe(201);
    expect(await as('admin').get('/audit')).toMatchObject({ body: { ok: true } });
  },
);

test('refusals of an owner are recorded up to a limit, beyond it the answer is 429', async () => {
  const { client } = await ledgerServer({ maxRefusals: 2 });
  await client.post('/wallets', { id: 'a', owner: 'x' });
  const move = { source: 'a', destination: '~vault', amount: '1' };
  const outcomes = [];
  for (const id of ['1', '2', '3']) outcomes.push((await client.post('/transfers', move, id)).status);
  expect(outcomes).toEqual([422, 422, 429]);
  expect((await client.get('/transfers/3')).status).toBe(404);
});

test('a reservation whose time has come is expired by the server', async () => {
  const { server, client } = await ledgerServer({ sweepMs: 10 });
  await client.fund('a', 'x', '5');
  const events = client.events('3');
  const reserve = { kind: 'reserve', source: 'a', destination: '~vault', amount: '5', timeoutMs: 1 };
  expect((await client.post('/transfers', reserve, 'r')).status).toBe(201);
  const [, expired] = await firstEvents(await events, 2);
  expect(JSON.parse(expired?.data ?? '')).toMatchObject({ transfer: { kind: 'expire', pendingId: 'r' } });
  expect(await client.get('/wallets/a')).toMatchObject({ body: { available: '5' } });
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
    'mempool_ledger_swept_total{action="expired"} 1',
  );
  await server.close();
});
