import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Result, readResult } from '../src/report/result.ts';
import { scaled } from './sample-result.ts';
import { parseXml } from './xml.ts';

const program = join(import.meta.dirname, '../src/main.ts');
const root = join(import.meta.dirname, '../../..');

const scratch = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));

interface Ended {
  readonly code: number;
  readonly said: string;
  readonly result: Result;
  readonly folder: string;
}

/** A run of the program itself, at sizes that prove nothing but that all of it works. */
async function run(...given: readonly string[]): Promise<Ended> {
  const { code, said, folder } = await ended(...given);
  return { code, said, folder, result: readResult(join(folder, 'latest.json')) };
}

async function ended(...given: readonly string[]): Promise<Omit<Ended, 'result'>> {
  const folder = mkdtempSync(join(scratch, 'run-'));
  const flags = ['--expose-gc', '--conditions=mempool-source', program];
  const options = ['--n', '100', '--rounds', '1', '--out', folder, ...given];
  return await new Promise((resolve) => {
    execFile(process.execPath, [...flags, ...options], (error, _, said) =>
      resolve({ code: Number(error?.code ?? 0), said, folder }),
    );
  });
}

function idsOf({ rows }: Result, backend: string): string[] {
  return [...new Set(rows.filter((row) => row.backend === backend).map(({ id }) => id))];
}

const everywhere = [
  'receive-1',
  'receive-callers',
  'receive-100',
  'receive-1000',
  'mark-inflight',
  'acknowledge',
  'release',
  'confirm',
  'rollback',
  'status',
  'find',
  'peek-pending',
  'peek-inflight',
  'log',
];

const byPriority = [
  'ranked-receive-1',
  'ranked-receive-100',
  'ranked-replace',
  'ranked-reap',
  'ranked-take',
  'ranked-sweep',
  'ranked-sweep-nothing',
  'ranked-since',
  'ranked-revise',
  'ranked-confirm',
  'ranked-evict-1',
  'ranked-evict-100',
];

// Some seconds each where the machine has nothing else to do.
describe('a run', { timeout: 180_000 }, () => {
  let ephemeral: Ended;
  beforeAll(async () => {
    ephemeral = await run('--only', 'ephemeral');
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test('measures the in-memory backend in every workload that it can do', () => {
    const { code, result, folder } = ephemeral;
    expect(code).toBe(0);
    expect(idsOf(result, 'ephemeral')).toEqual([
      ...everywhere,
      'events-1',
      'events-8',
      'events-32',
      'memory',
      ...byPriority,
    ]);
    const limits = new Set(result.rows.map(({ limits }) => limits[0]?.name));
    expect(limits).toEqual(new Set(['bare Map', 'bare index', 'bare Map and heap']));
    expect(readFileSync(join(folder, 'latest.md'), 'utf8')).toContain('## ephemeral');
    expect(parseXml(readFileSync(join(folder, 'latest.svg'), 'utf8')).name).toBe('svg');
  });

  test('holds evictions against what keeps an order first, then against a pool that needs none', () => {
    const evictions = ephemeral.result.rows.filter(({ id }) => id.startsWith('ranked-evict'));
    expect(evictions.map(({ limits }) => limits.map(({ name }) => name))).toEqual(
      Array(4).fill(['bare Map and heap', 'FIFO pool']),
    );
  });

  test('ends with exit code 1 and names the row where a ratio of the stored run is out of reach', async () => {
    const { result, folder } = ephemeral;
    const path = join(folder, 'better.json');
    writeFileSync(path, JSON.stringify(scaled(result, 'ephemeral', 1_000_000)));
    const { code, said } = await run('--only', 'ephemeral', '--row', 'receive-100', '--check', path);
    expect(code).toBe(1);
    expect(said).toContain('ephemeral: receive by 100, n = 100, against bare Map');
  });

  test('measures nothing but the rows that are named', async () => {
    const { result } = await run('--only', 'ephemeral', '--row', 'status');
    expect(idsOf(result, 'ephemeral')).toEqual(['status']);
    const flat = 'status by 100: cost at 100 ÷ cost at 10';
    expect(result.goals.map(({ title }) => title)).toEqual([flat]);
  });

  test('puts the rounds of all its passes together', async () => {
    const { result } = await run('--only', 'ephemeral', '--row', 'status', '--rounds', '2');
    expect(result.passes).toEqual({ ephemeral: 2 });
    expect(result.rows.map(({ cost }) => cost.rounds)).toEqual([2, 2]);
    for (const { limits } of result.rows) expect(limits[0]?.passesApart).toBeGreaterThanOrEqual(0);
  });

  test('says in a line what was wrong in a process that measures', async () => {
    const { code, said } = await ended('--only', 'ephemeral', '--row', 'status', '--subject', 'no-such-subject.ts');
    expect(code).toBe(1);
    expect(said).toContain('no-such-subject.ts');
    expect(said).not.toMatch(/^\s+at /m);
  });

  test('measures a restart, a second node and the elections of SQLite too', async () => {
    const { code, result } = await run('--only', 'sqlite');
    expect(code).toBe(0);
    expect(idsOf(result, 'sqlite')).toEqual([
      ...everywhere,
      'restart',
      'events-1',
      'events-8',
      'events-32',
      'events-second-node',
      'memory',
      ...byPriority,
    ]);
    expect(result.rows.every(({ cost }) => Number.isFinite(cost.median))).toBe(true);
    expect(result.goals.filter(({ title }) => title.startsWith('leader'))).toHaveLength(2);
  });

  test('lets FIFO pools take turns with those of another checkout, and measures nothing else', async () => {
    const { code, result } = await run('--only', 'ephemeral', '--against', root);
    expect(code).toBe(0);
    const lifecycle = ['mark-inflight', 'acknowledge', 'release', 'confirm', 'rollback'];
    expect(idsOf(result, 'ephemeral').toSorted()).toEqual(
      ['receive-1', 'receive-100', ...lifecycle, 'memory'].toSorted(),
    );
    expect(result.rows.every(({ limits }) => limits.length === 1)).toBe(true);
    expect(result.goals).toHaveLength(result.rows.length);
  });

  test("puts somebody else's backend beside ours, held against what promises as much", async () => {
    const subject = join(root, 'examples/custom-backend/test/subject.ts');
    const { code, result } = await run('--only', 'ephemeral', '--row', 'by 100', '--subject', subject);
    expect(code).toBe(0);
    expect(new Set(result.rows.map(({ backend }) => backend))).toEqual(new Set(['ephemeral', 'journal']));
    const limits = result.rows.filter(({ backend }) => backend === 'journal').flatMap((row) => row.limits);
    expect(new Set(limits.map(({ name }) => name))).toEqual(
      new Set(['bare better-sqlite3', 'bare better-sqlite3, indexed', 'FIFO pool']),
    );
  });
});
