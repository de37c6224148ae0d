// Makes the samples of the current format: `node --conditions=mempool-source test/pool/make-fixtures.ts`. To be run once for a format, with
// the last code that writes it, and never again: later versions must open what was made then.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatVersion } from 'mempool-core/backend';
import { sqlite } from 'mempool-sqlite';
import { fillSample, observeSample, repeatSample, type SampleKind, sampleOptions } from 'mempool-testkit';

for (const kind of ['fifo', 'claimed', 'priority'] as const satisfies SampleKind[]) {
  const directory = mkdtempSync(join(tmpdir(), 'mempool-sqlite-sample-'));
  const path = join(directory, 'pool.db');
  const store = await sqlite.open({ ...sampleOptions(kind), path });
  await fillSample(store, kind);
  const seen = JSON.stringify({ seen: await observeSample(store), repeats: await repeatSample(store, kind) });
  await store.close();
  const fixture = (ending: string) => new URL(`../fixtures/${kind}-${formatVersion}.${ending}.gz`, import.meta.url);
  writeFileSync(fixture('db'), gzipSync(readFileSync(path), { level: 9 }));
  writeFileSync(fixture('json'), gzipSync(seen, { level: 9 }));
  rmSync(directory, { recursive: true });
}
