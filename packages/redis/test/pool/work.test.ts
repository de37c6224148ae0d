import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { redis } from 'mempool-redis';
import { testWorkers } from 'mempool-testkit/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';
import { hashOf, transactions } from '../chain.ts';
import { openPool, ownProxy } from '../own-server.ts';

const program = fileURLToPath(new URL('sender.ts', import.meta.url));

test.each(['fifo', 'priority'] as const)(
  'workers share a %s pool, and what one leaves another does',
  async (ordering) => {
    const [url, pool] = [inject('redisUrl'), randomUUID()];
    const store = await redis.open({ url, pool, ordering });
    await testWorkers({ store, command: [program, url, pool, ordering] });
  },
);

test('X5, P21: what a take took whose connection was cut after the request is handled once the server is back', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), timeoutMs: 300 });
  const pool = store;
  onTestFinished(() => pool.close());
  const stop = new AbortController();
  const attempts: number[] = [];
  await pool.receive(transactions(1, 2, 3));
  // Not the take of nothing, which only wakes what was held back.
  const taking = proxy.hold('reply', (request) => request.includes('the-node') && request.includes('\r\n$1\r\n7\r\n'));
  const done = pool.work((_, { attempt }) => attempts.push(attempt), {
    owner: 'the-node',
    concurrency: 7,
    claimMs: 600_000,
    signal: stop.signal,
  });
  await taking.caught;
  proxy.down();
  await expect(store.usage()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNAVAILABLE' });
  proxy.thaw();
  for (const n of [1, 2, 3]) await pool.waitFor(hashOf(n), { stage: 'Acknowledged' });
  stop.abort();
  expect(await done).toEqual({ acknowledged: 3, completed: 0, released: 0, failed: 0, lost: 0 });
  expect(attempts).toEqual([1, 1, 1]);
});
