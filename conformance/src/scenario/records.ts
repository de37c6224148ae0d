import assert from 'node:assert/strict';
import type { NamedValue, PutOutcome, RecordPage } from 'mempool-core';
import type { CaseContext, Need } from '../case/case.ts';
import { type EachOf, eachOf, mustFence, needing } from '../case/must.ts';
import type { TestedPool } from '../case/tested-pool.ts';
import { onPool } from './on-pool.ts';
import type { Pool } from './pool.ts';

const records: readonly Need[] = ['records'];

/** Cases of records on one pool. */
export const eachOnRecords: EachOf<(store: TestedPool, pool: Pool) => Promise<void>> = eachOf((id, title, run) =>
  onPool(id, title, (pool, store) => run(store, pool), records),
);

/** Cases of records and the lease of the pool's election. */
export const eachFencedRecord: EachOf<(context: CaseContext) => Promise<void>> = eachOf((id, title, run) =>
  needing(...records)(mustFence(id, title, run)),
);

/** Bytes that say a text. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text));
}

/** Stores a record, and returns its version. */
export async function stored(store: TestedPool, name: string, text: string): Promise<number> {
  const outcome = await store.putRecord(name, bytesOf(text));
  assert.ok(outcome.kind === 'stored', `not stored: ${outcome.kind}`);
  return outcome.version;
}

/** The outcome of a put without the time of the call. */
export function timeless(outcome: PutOutcome): object {
  if (outcome.kind !== 'stored') return outcome;
  const { at: _, ...rest } = outcome;
  return rest;
}

/** Version and text of each record of a page, by name. */
export function textsOf({ records: listed }: RecordPage): (readonly [string, number, string])[] {
  return listed.map(({ name, version, value }) => [name, version, Buffer.from(value).toString()]);
}

/** All records, over pages of that size. */
export async function everyRecord(store: TestedPool, prefix: string, limit: number): Promise<NamedValue[]> {
  const all: NamedValue[] = [];
  for (let after = ''; ; ) {
    const page: RecordPage = await store.listRecords(prefix, { after, limit });
    if (page.records.length === 0) return all;
    all.push(...page.records);
    assert.notEqual(page.next, after, 'the page does not go on');
    after = page.next;
  }
}
