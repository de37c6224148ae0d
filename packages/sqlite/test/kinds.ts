import type { Ordering, RemovingBackend } from 'mempool-core';
import { type SqliteOptions, sqlite, sqliteExclusive } from 'mempool-sqlite';

export const backends: readonly RemovingBackend<SqliteOptions>[] = [sqlite, sqliteExclusive];
export const orderings: readonly Ordering[] = ['fifo', 'priority'];

/** Every backend with every ordering: rows for `test.each`. */
export const kinds: readonly { name: string; backend: RemovingBackend<SqliteOptions>; ordering: Ordering }[] =
  backends.flatMap((backend) => orderings.map((ordering) => ({ name: backend.name, backend, ordering })));

/** What a child process is told of a row: the backend by its name. */
export function backendNamed(name: string): RemovingBackend<SqliteOptions> {
  const backend = backends.find((each) => each.name === name);
  if (backend === undefined) throw new Error(`no backend ${name}`);
  return backend;
}
