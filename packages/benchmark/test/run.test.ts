import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { describe, expect, test } from 'vitest';
import { judge } from '../src/peers/cuts.ts';
import { compare } from '../src/report/check.ts';
import type { Figure } from '../src/report/figure.ts';
import { type Result, readResult } from '../src/report/result.ts';
import { rotated } from '../src/runner/contest.ts';
import { readOptions } from '../src/runner/options.ts';

const program = join(import.meta.dirname, '../src/main.ts');

interface Ended {
  readonly code: number;
  readonly said: string;
  readonly result: Result;
  readonly path: string;
}

/** A run of the program itself, at sizes that prove nothing but that all of it works. */
function run(...given: readonly string[]): Promise<Ended> {
  const folder = scratchFolder();
  const flags = ['--expose-gc', '--conditions=mempool-source', program];
  const options = ['--n', '100', '--rounds', '1', '--out', folder, ...given];
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, ...options], (error, _, said) => {
      const path = join(folder, 'latest.json');
      resolve({ code: Number(error?.code ?? 0), said, result: readResult(path), path });
    });
  });
}

function idsOf({ rows }: Result): string[] {
  return [...new Set(rows.map(({ id }) => id))];
}

const lifecycle = ['mark-inflight', 'acknowledge', 'release', 'confirm', 'rollback'];
const receives = ['receive-1', 'receive-callers', 'receive-100', 'receive-1000'];
const reads = ['status', 'find', 'peek-pending', 'peek-inflight', 'log'];
const events = ['events-1', 'events-32'];
const byPriority = ['receive-100', 'reap', 'take', 'confirm', 'evict-100'].map((id) => `ranked-${id}`);

// Some seconds each where the machine has nothing else to do.
describe('a run', { timeout: 180_000 }, () => {
  test('measures the backend in memory in every workload that it can do, and finds a ratio that fell', async () => {
    const { code, result, path } = await run('--only', 'ephemeral');
    expect([code, idsOf(result)]).toEqual([0, [...receives, ...lifecycle, ...reads, ...events, ...byPriority]]);
    expect(result.rows.every(({ limits }) => limits.every(({ ratio }) => ratio.median > 0))).toBe(true);
    const better = { lower: 1e6, upper: 1e6, median: 1e6 };
    const rows = result.rows.map((row) => ({
      ...row,
      limits: row.limits.map((limit) => ({ ...limit, ratio: { ...limit.ratio, ...better } })),
    }));
    writeFileSync(path, JSON.stringify({ ...result, rows }));
    const again = await run('--only', 'ephemeral', '--row', 'receive-100', '--rounds', '2', '--check', path);
    expect([again.code, again.result.passes, idsOf(again.result)]).toEqual([1, { ephemeral: 2 }, ['receive-100']]);
    expect(again.said).toContain('worse: ephemeral: receive by 100, n = 100, against bare Map');
    expect(again.result.rows.map(({ cost }) => cost.rounds)).toEqual([2, 2]);
  });

  test.each(['sqlite', 'redis'])('measures restarts, a second node, memory and the ledger of %s too', async (name) => {
    const { code, result } = await run('--only', name);
    const shared = [...receives, ...lifecycle, ...reads, 'restart', ...events, 'events-second-node', ...byPriority];
    expect([code, new Set(idsOf(result))]).toEqual([0, new Set([...shared, 'ranked-restart'])]);
    for (const start of ['memory: ', 'ledger: ', 'the row that grows most'])
      expect(result.goals.some(({ title }) => title.startsWith(start))).toBe(true);
  });
});

test.each([['--only', 'another'], ['--n', '1.5'], ['--rounds', '0'], ['--n', '5000', '--full'], ['--unknown']])(
  'options are refused: %s %s',
  (...given) => {
    expect(() => readOptions(given)).toThrow(Error);
  },
);

test.each([2, 3, 4, 5])('each round begins with another of %d participants', (count) => {
  const all = Array.from({ length: count }, (_, i) => i);
  expect(new Set(all.map((round) => rotated(all, round)[0]))).toEqual(new Set(all));
  const orders = Array.from({ length: 6 }, (_, round) => rotated([0, 1, 2], round));
  expect(new Set(orders.map((order) => order[order.indexOf(1) - 1]))).toEqual(new Set([0, 2, undefined]));
});

/** A result with one ratio: three rounds around its median. */
function withRatio(backend: string, median: number): Result {
  const ratio = { median, lower: median * 0.99, upper: median * 1.01, least: median, most: median, rounds: 3 };
  const row = { backend, id: 'a', title: 'a', n: 10, per: 'block', cost: ratio, growth: null, flatness: null } as const;
  return {
    rows: [{ ...row, limits: [{ name: 'bare', cost: ratio, ratio }] }],
    goals: [] as Figure[],
  } as unknown as Result;
}

test.each([
  ['sqlite', 0.86, 0],
  ['sqlite', 0.84, 1],
  ['redis', 0.71, 0],
  ['redis', 0.69, 1],
  ['redis', 3, 0],
])('a ratio of %s may fall by a part: %d of the stored one', (backend, now, worse) => {
  expect(compare(withRatio(backend, 1), withRatio(backend, now)).worse).toHaveLength(worse);
});

const none = { waiting: [], inflight: [], done: [] };
test.each([
  ['add', { waiting: ['a', 'a'] }, ['a'], { doubled: true, lost: false, unknown: false }],
  ['add', {}, ['a'], { doubled: false, lost: true, unknown: false }],
  ['in flight', { waiting: ['c'], inflight: ['a', 'b'] }, ['b'], { doubled: true, lost: true, unknown: false }],
  ['confirm', { inflight: ['a', 'b', 'c'] }, ['a'], { doubled: false, lost: true, unknown: false }],
  ['confirm', { inflight: ['b', 'c'], done: ['a'] }, null, { doubled: false, lost: false, unknown: true }],
] as const)('a cut connection is judged: %s, %j', (step, census, told, verdict) => {
  expect(judge({ step, hashes: ['a', 'b', 'c'], told, census: { ...none, ...census } })).toEqual(verdict);
});
