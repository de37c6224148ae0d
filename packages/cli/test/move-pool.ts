import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ordering } from 'mempool-core';
import { fillPool } from './fill-pool.ts';
import { run } from './run-in-process.ts';

interface Move {
  readonly folder: string;
  readonly redisUrl: string;
  readonly ordering: Ordering;
  readonly count: number;
}

/** Moves a filled pool SQLite → Redis → SQLite. Returns what `export` wrote of each, and how long each command took. */
export async function movePool({ folder, redisUrl, ordering, count }: Move): Promise<{
  readonly dumps: readonly Buffer[];
  readonly tookMs: Readonly<Record<string, number>>;
}> {
  const limits = {
    ordering,
    ...(ordering === 'priority' ? { maxTxs: 'unlimited', maxParked: 'unlimited', maxPerSender: 'unlimited' } : {}),
  };
  const prefix = `cli-${process.pid}-${Date.now()}-${ordering}:`;
  const configs = {
    first: { backend: 'sqlite', path: join(folder, 'first.sqlite'), ...limits },
    redis: { backend: 'redis', url: redisUrl, keyPrefix: prefix, timeoutMs: 60_000, ...limits },
    last: { backend: 'sqlite', path: join(folder, 'last.sqlite'), ...limits },
  };
  for (const [name, fields] of Object.entries(configs))
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...fields, maxFinalized: 1_000_000 }));
  await fillPool(join(folder, 'first.json'), count);
  const tookMs: Record<string, number> = {};
  const command = async (name: string, verb: 'export' | 'import', file: string): Promise<void> => {
    const begun = performance.now();
    const ran = await run(['-c', join(folder, `${name}.json`), verb, join(folder, file)]);
    tookMs[`${verb} ${name}`] = Math.round(performance.now() - begun);
    if (ran.code !== 0) throw new Error(`${verb} ${name}: ${ran.err}`);
  };
  await command('first', 'export', '1.ndjson');
  await command('redis', 'import', '1.ndjson');
  await command('redis', 'export', '2.ndjson');
  await command('last', 'import', '2.ndjson');
  await command('last', 'export', '3.ndjson');
  const dumps = await Promise.all([1, 2, 3].map((n) => readFile(join(folder, `${n}.ndjson`))));
  return { dumps, tookMs };
}
