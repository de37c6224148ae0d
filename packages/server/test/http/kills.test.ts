import { join } from 'node:path';
import type { MempoolEvent } from 'mempool-core';
import type { Summary } from 'mempool-server';
import { seed } from 'mempool-testkit';
import { ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { firstEvents, jsonOf, submit } from './client.ts';
import { killRuns } from './kills.ts';
import { served } from './served.ts';

test.for(['sqlite', 'redis'])(
  `a server on %s that is killed under load loses nothing acknowledged and counts nothing twice (seed ${seed})`,
  {
    timeout: 120_000,
  },
  async (backend) => {
    const store =
      backend === 'sqlite' ? { path: join(scratchFolder(), 'pool.sqlite') } : { url: (await ownServer()).url };
    const report = await killRuns({ backend, ...store, finalizeThreshold: 'never' }, { seed, kills: 3 });
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(report).toMatchObject({ lost: [], counted: report.recounted, exitCode: 0 });
  },
);

test('two servers on one Redis serve one pool and tell the same numbers', async () => {
  const { url } = await ownServer();
  const [a, b] = [await served({ backend: 'redis', url }), await served({ backend: 'redis', url })];
  const events = await fetch(`${a.url}/api/v1/events`);
  for (let i = 0; i < 20; i++) expect((await submit(i % 2 === 0 ? a : b, `transaction ${i}`)).status).toBe(201);
  const told = (await firstEvents(events, 20)).map(({ data }) => JSON.parse(data) as MempoolEvent);
  expect(told.map((event) => event.kind === 'transaction' && event.seq)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  expect((await submit(b, 'transaction 0')).status).toBe(200);
  const numbers = async (server: { readonly url: string }) => {
    const { received, stages, cursor } = (await jsonOf(
      await fetch(`${server.url}/api/v1/summary`),
    )) as unknown as Summary;
    return { received, stages, cursor };
  };
  await expect.poll(async () => (await numbers(a)).received).toBe(20);
  await expect.poll(() => numbers(b)).toEqual(await numbers(a));
});
