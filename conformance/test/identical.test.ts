import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyOptions, makeHistory, transcript } from 'mempool-conformance';
import { ephemeral } from 'mempool-ephemeral';
import { sqlite } from 'mempool-sqlite';
import { expect, test } from 'vitest';
import { subject as redis } from '../../packages/redis/test/subject.ts';

const calls = 10_000;
const seed = 20_260_101;
/** A power cut is not the subject here. */
const files = { ...historyOptions, synchronous: 'normal' } as const;
const pool = `identical-${randomUUID()}`;

test(`the backends give identical outcomes, events and pages for one history of ${calls} calls`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mempool-identical-'));
  const universe = await makeHistory(seed, calls, historyOptions);
  const stores = {
    ephemeral: await ephemeral.open(historyOptions),
    sqlite: await sqlite.open({ ...files, path: join(folder, 'shared.sqlite') }),
    redis: await redis.open(pool, historyOptions),
  };
  const [first, ...others] = Object.entries(stores).map(([name, store]) => ({
    name,
    lines: transcript(store, universe),
  }));
  let compared = 0;
  for await (const line of first?.lines ?? []) {
    for (const { name, lines } of others) expect({ name, line: (await lines.next()).value }).toEqual({ name, line });
    compared += 1;
  }
  await Promise.all(Object.values(stores).map((store) => store.close()));
  await redis.destroy?.(pool);
  await rm(folder, { recursive: true });
  expect(compared).toBe(calls);
}, 900_000);
