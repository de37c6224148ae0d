import { settle, unsupported } from '../boundary/call-errors.ts';
import type { Awaitable } from '../contract/call-options.ts';
import type { PoolDump } from '../contract/dump.ts';
import type { PoolPart } from '../contract/transfer.ts';
import { dumpOfParts } from '../priority/content.ts';
import { driverOf } from './define-backend.ts';
import type { AnyMempool } from './pool-of-ordering.ts';

/** The name under which an object that wraps a pool has that pool, so that `poolState` finds its driver. */
export const wrappedPool: unique symbol = Symbol('mempool.wrappedPool');

/** A pool that others change during each of so many exports has no state that can be compared. */
const attempts = 5;
const context = { signal: undefined };

/**
 * Returns the whole state of a pool in canonical form, for tests: equal states have deeply equal dumps. A driver without
 * `dumpPool` is read by the pages of its export.
 *
 * @throws an `Error` if others change the pool meanwhile; `ERR_MEMPOOL_UNSUPPORTED` if the driver has no `exportPages` either
 */
export async function poolState(pool: Pick<AnyMempool, 'name' | 'ordering'>): Promise<PoolDump> {
  if (wrappedPool in pool) return poolState(pool[wrappedPool] as AnyMempool);
  const driver = driverOf(pool);
  if (driver?.dumpPool !== undefined) return settle(() => driver.dumpPool?.(context) as Awaitable<PoolDump>);
  if (driver?.exportPages === undefined) throw unsupported(`the state of ${pool.name} cannot be read`);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const parts = await partsOf(driver.exportPages(context));
    if (isExact(parts)) return dumpOfParts(pool.ordering, parts);
  }
  throw new Error('the pool changes while it is read');
}

async function partsOf(pages: AsyncIterable<readonly PoolPart[]>): Promise<PoolPart[]> {
  const parts: PoolPart[] = [];
  for await (const page of pages) parts.push(...page);
  return parts;
}

function isExact(parts: readonly PoolPart[]): boolean {
  const [start, finish] = [parts[0], parts.at(-1)];
  return start?.kind === 'start' && finish?.kind === 'finish' && start.lastEventSeq === finish.lastEventSeq;
}
