import { isMempoolError } from 'mempool-core';
import type { TestedPool } from '../case/tested-pool.ts';
import { hashesOf, type Pool } from '../scenario/pool.ts';
import { stored } from '../scenario/records.ts';
import { historyOptions } from './pool-calls.ts';

/** With a clock that stands, two pools stay equal whenever they are called. */
export const timeless: typeof historyOptions & { readonly now: () => number } = { ...historyOptions, now: () => 1_000 };
/** More than one page. */
export const many = 1_200;

export async function exported(store: TestedPool): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of store.export()) lines.push(line);
  return lines;
}

/** The lines up to this number; then the reader fails, as a process that is killed. */
export function* until(lines: readonly string[], count: number): Generator<string, undefined> {
  yield* lines.slice(0, count);
  throw new RangeError('the reader fails');
}

export function isWrongLine(line: number): (error: unknown) => boolean {
  return (error) => isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.line === line;
}

export function isUnfinished(error: unknown): boolean {
  return isMempoolError(error, 'ERR_MEMPOOL_IN_USE');
}

/** Records and one that is held back, which no history of the basic verbs has. */
export async function addRest(store: TestedPool): Promise<void> {
  await stored(store, 'a', 'kept');
  await stored(store, 'b', 'deleted');
  await store.putRecord('b', null);
  const { transactions } = await store.take({ maxTxs: 1 }, { owner: 'worker', claimMs: 10, operationId: 'a claim' });
  await store.release(hashesOf(transactions), { notBeforeMs: 50_000 });
}

export async function filled(pool: Pool): Promise<void> {
  for (let i = 0; i < many; i += 100) await pool.receive(100);
  await addRest(pool.store);
}
