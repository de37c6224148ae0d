import { createHash } from 'node:crypto';
import SqliteDatabase from 'better-sqlite3';

/** Of everything in the tables of the file, but those named. */
export function digest(path: string, without: readonly string[] = []): string {
  const database = new SqliteDatabase(path, { readonly: true });
  const hash = createHash('sha256');
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  for (const table of tables.filter((name) => !without.includes(name as string)))
    for (const row of database.prepare(`SELECT * FROM "${table}"`).raw().iterate())
      hash.update(JSON.stringify([table, row]));
  database.close();
  return hash.digest('hex');
}
