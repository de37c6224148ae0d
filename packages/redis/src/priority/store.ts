import * as core from 'mempool-core';
import { type Node, RedisStore } from '../store.ts';
import { MirrorStorage } from './storage.ts';

const context = { signal: undefined, operationId: undefined };

/** One node's view of a priority pool: what reads records of the lifecycle alone is as in any pool. */
export async function openPriority(node: Node): Promise<core.StoreDriver> {
  const records = new RedisStore(node);
  const storage = new MirrorStorage(node);
  const driver = core.priorityDriver(storage, node.options);
  await nameLimits(storage, driver, node.options.limits);
  return {
    ...driver,
    peekInflight: (after, limit, given) => records.peekInflight(after, limit, given),
    findInflight: (hashes, given) => records.findInflight(hashes, given),
    checkStatus: (hashes, given) => records.checkStatus(hashes, given),
    dumpFinalized: (cursor, limit, given) => records.dumpFinalized(cursor, limit, given),
    tip: (points, given) => records.tip(points, given),
    readEvents: (after, limit) => records.readEvents(after, limit),
    onEvents: (listener) => records.onEvents(listener),
    close: () => records.close(),
  };
}

/** For all nodes, from here on. */
async function nameLimits(
  storage: MirrorStorage,
  driver: core.PriorityVerbs,
  named: Partial<core.Limits>,
): Promise<void> {
  const limits = await storage.read(context, ({ index }) => index.limits);
  const isNew = core.limitNames.some((name) => named[name] !== undefined && named[name] !== limits[name]);
  if (isNew) await driver.setLimits(named, context);
}
