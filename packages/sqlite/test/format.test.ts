import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { expect, test } from 'vitest';
import { fillSample, goOn, observe } from './sample.ts';
import { scratch } from './scratch.ts';

function fixture(name: string): Buffer {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
}

function sample(): string {
  const path = join(scratch(), 'pool.db');
  writeFileSync(path, gunzipSync(fixture('format-1.db.gz')));
  return path;
}

for (const backend of [sqlite, sqliteExclusive]) {
  test(`N2: ${backend.name} reads a file that format 1 left behind`, async () => {
    await using store = await backend.open({ path: sample() });
    expect(await observe(store)).toEqual(JSON.parse(fixture('format-1.json').toString()));
  });

  test(`D1: ${backend.name} goes on from such a file as from one of its own, its operation ids included`, async () => {
    await using old = await backend.open({ path: sample() });
    await using own = await backend.open({ path: join(scratch(), 'pool.db'), maxFinalized: 3, maxRollback: 2 });
    await fillSample(own);
    expect(await goOn(old)).toEqual(await goOn(own));
  });
}
