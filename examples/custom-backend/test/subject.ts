import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subject } from 'mempool-conformance';
import { journal } from '../src/index.ts';

/** A child process must find the same file: the name alone says where it is. */
const pathOf = (pool: string) => join(tmpdir(), `${encodeURIComponent(pool)}.journal`);

export const subject: Subject = {
  name: 'journal',
  module: import.meta.url,
  backend: journal,
  boundary: 'core',
  open: (pool, options) => journal.open({ ...options, pool, path: pathOf(pool) }),
  destroy: (pool) => rm(pathOf(pool), { force: true }),
};
