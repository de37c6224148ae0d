import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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

/** Moves a filled pool SQLite → Redis → SQLite. Returns the files that `export` wrote, and how long each command took. */
export async function movePool({ folder, redisUrl, ordering, count }: Move): Promise<{
  readonly files: readonly string[];
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
  return { files: [1, 2, 3].map((n) => join(folder, `${n}.ndjson`)), tookMs };
}

/** What two files of the same pool have in common. */
export function contentOf(file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1, -1);
  return lines.map((line) => line.replace(/,"check":.*|"lastEventSeq":\d+/g, '')).join('\n');
}
