// Where child processes, too, find the file of a pool: in the folder that the run gives.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

export const pathOf = (pool) => join(process.env.PACKED_POOLS, `${encodeURIComponent(pool)}.db`);

export async function removeFiles(pool) {
  for (const suffix of ['', '-wal', '-shm', '-watcher-lock']) await rm(`${pathOf(pool)}${suffix}`, { force: true });
}
