import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { createElection } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, point, transactions } from '../chain.ts';
import { openLeases, openOptions } from '../election/node.ts';
import { type Line, openPool, operator, ownServer } from '../own-server.ts';

const secret = 'pa55word';

/** All that a log, a debugger or a crash report may make of a value. */
function spellings(value: unknown): string {
  const options = { depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null };
  const shown = [inspect(value), inspect(value, { ...options, showHidden: true, getters: true })];
  return [...shown, JSON.stringify(value) ?? '', String(value)].join('\n');
}

function hides(...values: readonly unknown[]): void {
  for (const value of values) expect(spellings(value)).not.toContain(secret);
}

async function guardedServer() {
  const server = await ownServer('--requirepass', secret);
  return {
    server,
    url: server.url.replace('//', `//:${secret}@`),
    admin: operator(server.url.replace('//', `//:${secret}@`)),
  };
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('it did not fail'),
    (error) => error,
  );

test.for(['fifo', 'priority'] as const)('no object of a pool ordered by %s shows the password', async (ordering) => {
  const { server, url, admin } = await guardedServer();
  const lines: Line[] = [];
  const log = (level: string, message: string, fields?: object) => lines.push({ level, message, ...fields });
  const { store } = await openPool({ url, ordering, log, timeoutMs: 200 });
  const mempool = store;
  const events = await store.subscribe();
  const iterator = events[Symbol.asyncIterator]();
  await mempool.submit(transactions(1)[0] as never);
  const watch = mempool.watch([hashOf(1)]);
  const watcher = mempool.pending();
  hides(redis, store, store.capabilities, mempool, events, iterator, (await iterator.next()).value, watch, watcher);
  const errors = [
    await failure(store.receive([{ hash: 'no hash' } as never])),
    await failure(
      store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] }, {}, { operationId: 'x'.repeat(1e4) }),
    ),
  ];
  await admin.set('{mempool}:blocks', 'of another type');
  errors.push(await failure(store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] })));
  await admin.config('SET', 'requirepass', 'another');
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await expect.poll(() => failure(store.usage())).toMatchObject({ code: 'ERR_MEMPOOL_AUTH' });
  errors.push(await failure(store.usage()), await failure(store.receive(transactions(2))));
  errors.push(await failure(redis.open({ url })), await failure(redisElection.open(openOptions({ url }))));
  admin.disconnect();
  await server.kill('SIGKILL');
  errors.push(await failure(store.receive(transactions(3))), await failure(redis.open({ url, timeoutMs: 100 })));
  errors.push(await failure(redis.open({ url: url.replace('redis:', 'http:') })));
  errors.push(
    await failure(redis.open({ url: `${url}/x` })),
    await failure(redis.open({ url: url.replace(secret, `%zz${secret}`) })),
  );
  await store.close();
  errors.push(await failure(store.usage()));
  hides(store, mempool, lines, ...errors);
});

test('no object of an election shows the password', async () => {
  const { server, url, admin } = await guardedServer();
  admin.disconnect();
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  const leases = await openLeases({ url, commandTimeoutMs: 200, log });
  const election = createElection(redisElection, { url, nodeId: 'a', log });
  onTestFinished(() => election.stop());
  const events: unknown[] = [];
  election.on('acquired', (event) => events.push(event));
  await election.start();
  await expect.poll(() => election.isLeader()).toBe(true);
  hides(redisElection, leases, election, events);
  const errors = [await failure(redisElection.open(openOptions({ url: url.replace('redis:', 'http:') })))];
  await server.kill('SIGKILL');
  errors.push(await failure(leases.observe()), await failure(leases.members()));
  errors.push(await failure(redisElection.open(openOptions({ url, commandTimeoutMs: 100 }))));
  await election.stop();
  hides(leases, election, events, lines, ...errors);
});
