import type { Backend, Ordering } from 'mempool-core';
import { type SqliteOptions, sqlite, sqliteExclusive } from 'mempool-sqlite';

export const backends: readonly Backend<SqliteOptions>[] = [sqlite, sqliteExclusive];
export const orderings: readonly Ordering[] = ['fifo', 'priority'];

/** Every backend with every ordering: rows for `test.each`. */
export const kinds: readonly { name: string; backend: Backend<SqliteOptions>; ordering: Ordering }[] = backends.flatMap(
  (backend) => orderings.map((ordering) => ({ name: backend.name, backend, ordering })),
);

/** What a child process is told of a row: the backend by its name. */
export function backendNamed(name: string): Backend<SqliteOptions> {
  const backend = backends.find((each) => each.name === name);
  if (backend === undefined) throw new Error(`no backend ${name}`);
  return backend;
}
