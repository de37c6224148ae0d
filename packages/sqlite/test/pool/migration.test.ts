import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import {
  fillSample,
  goOn,
  observeSample,
  repeatSample,
  reuseSample,
  type SampleKind,
  sampleOptions,
} from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { report, start } from '../program.ts';

/** What code of the older format left behind, and what it read and answered to repeated calls. */
const samples = [
  { kind: 'fifo', format: 2 },
  { kind: 'claimed', format: 2 },
  { kind: 'priority', format: 1_002 },
] as const satisfies { kind: SampleKind; format: number }[];

function fixture(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`../fixtures/${name}.gz`, import.meta.url)));
}

function sample(kind: SampleKind): string {
  const path = join(scratchFolder(), 'pool.db');
  writeFileSync(path, fixture(`${kind}-1.db`));
  return path;
}

function then(kind: SampleKind): { readonly seen: unknown; readonly repeats: unknown } {
  return JSON.parse(fixture(`${kind}-1.json`).toString());
}

/** The columns of each table. */
function shapeOf(path: string): unknown[] {
  const database = new SqliteDatabase(path, { readonly: true });
  const columns = `SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || ifnull(c.dflt_value, '')
    FROM sqlite_schema AS t, pragma_table_info(t.name) AS c ORDER BY 1`;
  try {
    return database.prepare(columns).pluck().all();
  } finally {
    database.close();
  }
}

function formatOf(path: string): unknown {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    return database.pragma('user_version', { simple: true });
  } finally {
    database.close();
  }
}

for (const backend of [sqlite, sqliteExclusive]) {
  test.for(samples)(`N2: ${backend.name} opens a $kind pool of format 1 as it was, and migrates it`, async (each) => {
    const { kind, format } = each;
    const path = sample(kind);
    const { seen, repeats } = then(kind);
    const store = await backend.open({ ...sampleOptions(kind), path });
    expect(await observeSample(store)).toEqual(seen);
    expect(await repeatSample(store, kind)).toEqual(repeats);
    expect(await reuseSample(store, kind)).toEqual(Array(5).fill('ERR_MEMPOOL_INVALID'));
    expect(await observeSample(store)).toEqual(seen);
    await store.close();
    expect(formatOf(path)).toBe(format);
    await using again = await backend.open({ ...sampleOptions(kind), path });
    expect(await observeSample(again)).toEqual(seen);
  });

  test.for(samples)(
    `N2: ${backend.name} goes on with a $kind pool of format 1 as with one of its own`,
    async ({ kind }) => {
      await using old = await backend.open({ ...sampleOptions(kind), path: sample(kind) });
      await using own = await backend.open({ ...sampleOptions(kind), path: join(scratchFolder(), 'pool.db') });
      await fillSample(own, kind);
      expect(await repeatSample(own, kind)).toEqual(then(kind).repeats);
      expect(await goOn(old, kind)).toEqual(await goOn(own, kind));
    },
  );
}

test('N2: a process killed at any moment of a migration leaves a pool that opens as it was', async () => {
  const kills = 20;
  const openMs = Number(await report('./pool/migrator.ts', [sample('fifo'), 'fifo']));
  const round = async (n: number) => {
    const { kind } = samples[n % samples.length] as (typeof samples)[number];
    const path = sample(kind);
    const child = start('./pool/migrator.ts', [path, kind, String((openMs * n) / kills)]);
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    await using store = await sqlite.open({ ...sampleOptions(kind), path });
    expect(await observeSample(store)).toEqual(then(kind).seen);
  };
  for (let n = 0; n < kills; n += 4) await Promise.all([n, n + 1, n + 2, n + 3].map(round));
});

test.for(samples)('N2: a migrated $kind pool has the tables and columns of a new one', async ({ kind }) => {
  const [old, own] = [sample(kind), join(scratchFolder(), 'pool.db')];
  for (const path of [old, own]) await (await sqlite.open({ ...sampleOptions(kind), path, maxTxs: 99 })).close();
  expect(shapeOf(old)).toEqual(shapeOf(own));
});

test('N2: a pool of the other ordering is refused in every format, and stays as it is', async () => {
  for (const [kind, other, format] of [
    ['fifo', 'priority', 1],
    ['priority', 'fifo', 1_001],
  ] as const) {
    const path = sample(kind);
    const refused = { code: 'ERR_MEMPOOL_INCOMPATIBLE' };
    await expect(sqlite.open({ ...sampleOptions(other), path })).rejects.toMatchObject(refused);
    expect(formatOf(path)).toBe(format);
  }
});
