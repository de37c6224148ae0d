import { type Limits, limitNames } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { unlessImporting } from '../connection/refusal.ts';
import { type Node, PoolReader } from '../pool/pool-reader.ts';
import { RedisPriorityStorage } from './storage.ts';

const context = { signal: undefined, operationId: undefined };

/** One node's view of a priority pool. Verbs that only read records are the same as in any pool. */
export async function openPriority(node: Node): Promise<core.StoreDriver> {
  const storage = new RedisPriorityStorage(node);
  const records = new PoolReader(node, () => storage.settled);
  const driver = core.priorityDriver(storage, node.options);
  const open = async (): Promise<void> => {
    await storage.load();
    await setNamedLimits(storage, driver, node.options.limits);
  };
  await unlessImporting(open());
  return {
    ...driver,
    peekInflight: (...query) => records.peekInflight(...query),
    findInflight: (...query) => records.findInflight(...query),
    checkStatus: (...query) => records.checkStatus(...query),
    dumpFinalized: (...query) => records.dumpFinalized(...query),
    tip: (...query) => records.tip(...query),
    readEvents: (after, limit) => records.readEvents(after, limit),
    onEvents: (listener) => records.onEvents(listener),
    getRecord: (...query) => records.getRecord(...query),
    listRecords: (...query) => records.listRecords(...query),
    putRecord: (...put) => storage.putRecord(...put),
    exportPages: (context) => records.exportPages(context),
    importPage: (...page) => records.importPage(...page),
    close: () => records.close(),
  };
}

/** Stores the limits that this open names, for all nodes. */
async function setNamedLimits(
  storage: RedisPriorityStorage,
  driver: Pick<core.PriorityVerbs, 'setLimits'>,
  named: Partial<Limits>,
): Promise<void> {
  const limits = await storage.read(context, ({ index }) => index.limits);
  const isNew = limitNames.some((name) => named[name] !== undefined && named[name] !== limits[name]);
  if (isNew) await driver.setLimits(named, context);
}
