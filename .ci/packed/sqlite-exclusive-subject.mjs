import { sqliteExclusive } from 'mempool-sqlite';
import { pathOf, removeFiles } from './pool-file.mjs';

export default {
  name: 'sqlite-exclusive',
  module: import.meta.url,
  backend: sqliteExclusive,
  // No power is cut here: a sync for each commit would cost most of the time.
  open: (pool, options) => sqliteExclusive.open({ ...options, synchronous: 'normal', pool, path: pathOf(pool) }),
  destroy: removeFiles,
};
