// Measures how long the migration of a pool with a million transactions takes: `node --conditions=mempool-source test/pool/million.ts`.
// Fails if it is more than a second.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import type { SampleKind } from 'mempool-testkit';

const mostMs = 1_000;
const fill = `
  CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1000999) SELECT i FROM n;
  INSERT INTO tx SELECT i, randomblob(32), 0, 0, zeroblob(100) FROM n;
  UPDATE step SET last_seq = 1000999 WHERE event_seq = (SELECT max(event_seq) FROM step);
`;
/** Those in flight are the worst: their index is made again. */
const places = {
  Pending: 'INSERT INTO pending SELECT i FROM n',
  Propagated: 'INSERT INTO inflight (seq, stage, tick) SELECT i, 1, i / 1000 FROM n',
};

/** Without the rest of an open: that of a priority pool reads all of it into memory. */
function readMigration(room: string): string {
  return readFileSync(new URL(`../../sql/${room}/migration.sql`, import.meta.url), 'utf8');
}

function measure(kind: SampleKind, stage: keyof typeof places): void {
  const directory = mkdtempSync(join(tmpdir(), 'mempool-million-'));
  const path = join(directory, 'pool.db');
  writeFileSync(path, gunzipSync(readFileSync(new URL(`../fixtures/${kind}-1.db.gz`, import.meta.url))));
  const database = new SqliteDatabase(path);
  database.exec(`${fill}; ${places[stage]}`);
  const beginMs = performance.now();
  const scripts = kind === 'priority' ? ['pool', 'priority'] : ['pool'];
  const migrate = (): void => {
    for (const room of scripts) database.exec(readMigration(room));
  };
  database.transaction(migrate).immediate();
  const ms = performance.now() - beginMs;
  database.close();
  rmSync(directory, { recursive: true });
  console.log(`${kind}, ${stage}: migrated in ${ms.toFixed(1)} ms`);
  if (ms > mostMs) process.exitCode = 1;
}

for (const kind of ['fifo', 'claimed', 'priority'] as const satisfies SampleKind[])
  for (const stage of ['Pending', 'Propagated'] as const) measure(kind, stage);
