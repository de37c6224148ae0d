import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subject } from 'mempool-conformance';
import { leveldb } from '../src/index.ts';

/** A child process must find the same folder: the name alone says where it is. */
const pathOf = (pool: string) => join(tmpdir(), `${encodeURIComponent(pool)}.leveldb`);

export const subject: Subject = {
  name: 'leveldb',
  module: import.meta.url,
  backend: leveldb,
  boundary: 'core',
  // The suite kills processes, it cuts no power: a disk that nobody waits for makes it three times as fast.
  open: (pool, options) => leveldb.open({ ...options, pool, path: pathOf(pool), sync: false }),
  destroy: (pool) => rm(pathOf(pool), { recursive: true, force: true }),
};
