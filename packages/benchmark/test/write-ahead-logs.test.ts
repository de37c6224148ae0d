import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { backendOf } from '../src/backends/backend.ts';
import { contestSeries } from '../src/runner/contest.ts';
import { WriteAheadLogs } from '../src/runner/write-ahead-logs.ts';

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function opened(folder: string, name: string): Database.Database {
  const database = new Database(join(folder, name));
  database.pragma('journal_mode = WAL');
  database.exec('CREATE TABLE note (text TEXT)');
  onTestFinished(() => void database.close());
  return database;
}

function write(database: Database.Database): void {
  database.exec("INSERT INTO note VALUES ('a')");
}

/** Frames that are in the log and not in the file. */
function unwritten(database: Database.Database): number {
  const [{ log, checkpointed }] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  return log - checkpointed;
}

test('logs are written back wherever they lie in the folder, and how long that took is told', () => {
  const folder = scratch();
  mkdirSync(join(folder, 'deep'));
  const [one, other] = [opened(folder, 'one.db'), opened(folder, join('deep', 'other.db'))];
  const logs = new WriteAheadLogs(folder);
  onTestFinished(() => logs.close());
  expect([one, other].map(unwritten)).toEqual([2, 2]);
  logs.settle();
  expect([one, other].map(unwritten)).toEqual([0, 0]);
  write(other);
  const atReading: number[][] = [];
  const clock = () => atReading.push([one, other].map(unwritten));
  expect(logs.writeBack(clock)).toBe(1);
  expect(atReading).toEqual([
    [0, 1],
    [0, 0],
  ]);
});

test('a turn has what it wrote written back, and finds the logs without what others wrote', async () => {
  const folder = scratch();
  const database = opened(folder, 'one.db');
  const found: number[] = [];
  const prepare = () => {
    write(database);
    const run = () => {
      found.push(unwritten(database));
      write(database);
    };
    return { count: 1, run, undo: () => write(database) };
  };
  const { place, logs } = await backendOf('sqlite', { ...context, folder });
  expect(logs).toBe(folder);
  const head = { backend: 'sqlite', id: 'one', title: 'one', per: 'transaction', unit: 'µs' } as const;
  await contestSeries(head, [{ n: 1, ours: prepare, rivals: [] }], { place, logs: folder }, { ...context, folder });
  expect(new Set(found)).toEqual(new Set([0]));
  expect(unwritten(database)).toBe(1);
});

const context = { sizes: [1], rounds: 3, row: undefined, pass: { index: 0, count: 1 }, redis: null };
