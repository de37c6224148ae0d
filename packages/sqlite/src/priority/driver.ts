import * as core from 'mempool-core/backend';
import { exportedParts } from '../pool/exported-parts.ts';
import { PoolView } from '../pool/pool-view.ts';
import type { PriorityParts } from './calls.ts';
import { exportReads } from './format.ts';
import { PriorityStorage } from './storage.ts';

/** Opens a priority pool and returns the contract's verbs. Core plans on the mirror; pages and records are read from the file. */
export async function openPriority(parts: PriorityParts, options: core.DriverOptions): Promise<core.StoreDriver> {
  const { file } = parts;
  const storage = new PriorityStorage(parts, options);
  try {
    await storage.load();
  } catch (error) {
    file.close();
    throw error;
  }
  return { ...core.priorityDriver(storage, options), ...readingVerbs(storage, parts), close: () => storage.close() };
}

type ReadingVerbs = Pick<
  core.StoreDriver,
  'peekInflight' | 'findInflight' | 'checkStatus' | 'dumpFinalized' | 'tip' | 'readEvents' | 'onEvents'
> &
  core.RecordDriver &
  core.TransferDriver &
  Pick<core.PriorityVerbs, 'dumpPool'>;

function readingVerbs(storage: PriorityStorage, { copied }: PriorityParts): ReadingVerbs {
  const { file, hashes, commits } = storage;
  return {
    peekInflight: (after, limit, context) => storage.view(context, (pool) => pool.page('peekInflight', after, limit)),
    findInflight: (named, context) => storage.view(context, (pool) => named.map((hash) => pool.findInflight(hash))),
    checkStatus: (named, context) => storage.view(context, (pool) => named.map((hash) => pool.status(hash))),
    dumpFinalized: (cursor, limit, context) => storage.view(context, (pool) => pool.logPage(cursor, limit)),
    tip: (points, context) => storage.view(context, (pool) => pool.tip(points)),
    readEvents: (after, limit) =>
      storage.look({ signal: undefined }, () => new PoolView(file, hashes).eventsAfter(after, limit)),
    onEvents: (listener) => commits.listen(listener),
    getRecord: (name, context) => storage.look(context, () => storage.records.get(name)),
    listRecords: (query, context) => storage.look(context, () => storage.records.list(query)),
    putRecord: (put, context) => storage.putRecord(put, context),
    dumpPool: (context) =>
      storage.look(context, () => core.dumpOfParts('priority', [...exportedParts(file, exportReads(file))])),
    exportPages: () => copied.pages((copy) => exportedParts(copy, exportReads(copy))),
    importPage: (page, context) => storage.importPage(page, context),
  };
}
