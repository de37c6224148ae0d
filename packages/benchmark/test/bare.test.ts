import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BareMap } from '../src/limits/map.ts';
import { BareTable, tableLimit } from '../src/limits/table.ts';
import { freshTransactions, hashesOf } from '../src/workloads/sample.ts';

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const transactions = freshTransactions(10);
const payloads = transactions.map(({ payload }) => Buffer.from(payload));

describe('the bare Map', () => {
  test('copies payloads and gives copies back', () => {
    const map = new BareMap();
    map.insert(transactions);
    expect(map.read(hashesOf(transactions))).toEqual(payloads);
    map.remove(hashesOf(transactions.slice(1)));
    expect(map.read(hashesOf(transactions)).filter((payload) => payload !== null)).toEqual([payloads[0]]);
  });

  test.each([
    ['is too long', 'ab'.repeat(65)],
    ['has a digit that is none', `${'0'.repeat(63)}g`],
    ['has upper-case digits', 'AB'.repeat(32)],
  ])('takes in nothing whose hash %s, as no store does', (_, hash) => {
    const map = new BareMap();
    expect(() => map.insert([{ hash, payload: Buffer.alloc(1), payloadType: 0 }])).toThrow(TypeError);
  });

  test('pages through what was appended', () => {
    const map = new BareMap();
    map.append(transactions);
    expect([...map.page(0, 6), ...map.page(6, 6)]).toEqual(payloads);
  });
});

describe('the bare table', () => {
  test('keeps what is written once it is shut and opened again', () => {
    const table = new BareTable(scratch());
    table.insert(transactions);
    table.update(hashesOf(transactions.slice(0, 4)));
    table.shut();
    table.reopen();
    const stages = table.look(hashesOf(transactions)) as { readonly stage: number }[];
    expect(stages.map(({ stage }) => stage)).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
    table.remove(hashesOf(transactions.slice(0, 9)));
    expect(table.page(0, 100)).toHaveLength(1);
    table.close();
  });

  test('can be read by stage in order of arrival where rows are held against it, and is plain for the goals', async () => {
    const plan = (folder: string): unknown => {
      const [name] = readdirSync(folder) as [string];
      const database = new Database(join(folder, name, 'bare.db'), { readonly: true });
      const asked = database.prepare('EXPLAIN QUERY PLAN SELECT seq FROM tx WHERE stage = 0 ORDER BY seq LIMIT 100');
      const steps = asked.all() as { readonly detail: string }[];
      database.close();
      return steps.map(({ detail }) => detail);
    };
    const [ordered, plain] = [scratch(), scratch()];
    const limit = await tableLimit(ordered).open();
    const table = new BareTable(plain);
    expect(plan(ordered)).toEqual(['SEARCH tx USING COVERING INDEX tx_stage (stage=?)']);
    expect(plan(plain)).toEqual(['SCAN tx']);
    limit.close();
    table.close();
  });

  test('refuses a hash that it has', () => {
    const table = new BareTable(scratch());
    table.insert(transactions);
    expect(() => table.insert(transactions)).toThrow(Database.SqliteError);
    table.close();
  });
});
