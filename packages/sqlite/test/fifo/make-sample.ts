// Makes the stored sample of the current format: `node --conditions=mempool-source test/fifo/make-sample.ts`. To be run once for a
// format and never again: later versions must open what was made then.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatVersion } from 'mempool-core/backend';
import { sqlite } from 'mempool-sqlite';
import { fillSample, observe } from './sample.ts';

const directory = mkdtempSync(join(tmpdir(), 'mempool-sqlite-sample-'));
const path = join(directory, 'pool.db');
const store = await sqlite.open({ path, maxFinalized: 3, maxRollback: 2 });
await fillSample(store);
const seen = await observe(store);
await store.close();

const fixture = (ending: string) => new URL(`../fixtures/format-${formatVersion}.${ending}`, import.meta.url);
writeFileSync(fixture('db.gz'), gzipSync(readFileSync(path), { level: 9 }));
writeFileSync(fixture('json'), `${JSON.stringify(seen)}\n`);
rmSync(directory, { recursive: true });
