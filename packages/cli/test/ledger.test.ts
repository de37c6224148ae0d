import { loadServerConfig, startServer } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { jsonLines, run } from './run-in-process.ts';

test('wallets, transfers and reservations of a server from the command line', async () => {
  const given = { mempool: { backend: 'ephemeral' }, server: { port: 0 }, ledger: { currency: 'ADA' } };
  const server = await startServer(await loadServerConfig(given));
  onTestFinished(() => server.close());
  const ledger = (...args: string[]) => run(['--url', server.url, '--json', 'ledger', ...args]);
  const told = async (...args: string[]) => jsonLines((await ledger(...args)).out)[0];
  for (const id of ['ann', 'bob/1'])
    expect(await told('create', id, '--owner', 'Ann', '--tag', 'vip', '--tag', id)).toMatchObject({ id, balance: '0' });
  const pay = ['transfer', '~vault', 'ann', '100', '--id', 'pay', '--description', 'a gift'];
  const paid = await told(...pay);
  expect(paid).toMatchObject({ id: 'pay', outcome: 'created', amount: '100', description: 'a gift' });
  expect(await told(...pay)).toEqual(paid);
  expect(await told('reserve', 'ann', 'bob/1', '60', '--id', 'r', '--timeout', '1h')).toMatchObject({
    state: 'pending',
  });
  expect(await ledger('transfer', 'ann', 'bob/1', '41')).toMatchObject({ code: 4 });
  expect(await told('post', 'r', '10')).toMatchObject({ kind: 'post', amount: '10' });
  expect(await ledger('void', 'r', '--id', 'v')).toMatchObject({ code: 4 });
  expect(await told('wallet', 'bob/1')).toMatchObject({ balance: '10', tags: ['bob/1', 'vip'] });
  expect(jsonLines((await ledger('wallets', '--tag', 'ann', '--tag', 'bob/1', '--any')).out)).toHaveLength(2);
  expect(jsonLines((await ledger('wallets', '--limit', '1')).out)).toMatchObject([{ id: '~vault' }]);
  expect(jsonLines((await ledger('transfers', 'ann', '--limit', '0')).out)).toMatchObject([
    ...[{ id: 'pay' }, { id: 'r', state: 'posted' }, { kind: 'post' }],
  ]);
  expect(await told('tag', 'ann')).toMatchObject({ tags: [] });
  expect(await ledger('close', 'ann', '--yes')).toMatchObject({ code: 4 });
  expect(await ledger('wallet', 'none')).toMatchObject({ code: 3 });
  for (const id of ['', '.', '..']) {
    expect(await ledger('create', id, '--owner', 'Ann')).toMatchObject({ code: 2 });
    expect(await ledger('wallet', id)).toMatchObject({ code: 2 });
    expect(await ledger('post', id)).toMatchObject({ code: 2 });
  }
  expect(await ledger('transfer', '~vault', 'ann', '0.5')).toMatchObject({ code: 2 });
  expect(await told('audit')).toMatchObject({ ok: true, wallets: 3 });
  const people = await run(['--url', server.url, 'ledger', 'wallets', '--owner', 'Ann']);
  expect(people.out).toContain('ann     Ann    90       90         ADA');
  const stop = new AbortController();
  const watched = await run(['--url', server.url, '--json', 'ledger', 'watch', '--after', '3'], {
    signal: stop.signal,
    onOutput: (text) => void (text.includes('"kind":"post"') && stop.abort()),
  });
  expect(jsonLines(watched.out)[0]).toMatchObject({ kind: 'transfer', transfer: { id: 'pay' } });
  expect((await run(['ledger', 'audit'])).code).toBe(2);
});
