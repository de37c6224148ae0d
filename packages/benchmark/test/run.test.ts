import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Result, readResult } from '../src/report/result.ts';
import { root } from '../src/setup/subject.ts';
import { scaled } from './sample-result.ts';

const program = join(import.meta.dirname, '../src/main.ts');
const scratch = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));

interface Ended {
  readonly code: number;
  readonly said: string;
  readonly folder: string;
}

/** A run of the program itself, at sizes that prove nothing but that all of it works. */
function ended(...given: readonly string[]): Promise<Ended> {
  const folder = mkdtempSync(join(scratch, 'run-'));
  const flags = ['--expose-gc', '--conditions=mempool-source', program];
  const options = ['--n', '100', '--rounds', '1', '--out', folder, ...given];
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, ...options], (error, _, said) =>
      resolve({ code: Number(error?.code ?? 0), said, folder }),
    );
  });
}

async function run(...given: readonly string[]): Promise<Ended & { readonly result: Result }> {
  const end = await ended(...given);
  return { ...end, result: readResult(join(end.folder, 'latest.json')) };
}

function idsOf({ rows }: Result): string[] {
  return [...new Set(rows.map(({ id }) => id))];
}

const lifecycle = ['mark-inflight', 'acknowledge', 'release', 'confirm', 'rollback'];
const receives = ['receive-1', 'receive-callers', 'receive-100', 'receive-1000'];
const everywhere = [...receives, ...lifecycle, 'status', 'find', 'peek-pending', 'peek-inflight', 'log'];
const events = ['events-1', 'events-8', 'events-32'];
const byPriority = [
  ...['receive-1', 'receive-100', 'replace', 'reap', 'take', 'sweep', 'sweep-nothing', 'since', 'revise', 'confirm'],
  ...['evict-1', 'evict-100'],
].map((id) => `ranked-${id}`);

// Some seconds each where the machine has nothing else to do.
describe('a run', { timeout: 180_000 }, () => {
  let ephemeral: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    ephemeral = await run('--only', 'ephemeral');
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test('measures the in-memory backend in every workload that it can do', () => {
    const { code, result, folder } = ephemeral;
    expect(code).toBe(0);
    expect(idsOf(result)).toEqual([...everywhere, ...events, 'memory', ...byPriority]);
    const limits = new Set(result.rows.map(({ limits }) => limits[0]?.name));
    expect(limits).toEqual(new Set(['bare Map', 'bare index', 'bare Map and heap']));
    const evictions = result.rows.filter(({ id }) => id.startsWith('ranked-evict'));
    const held = evictions.map((row) => row.limits.map(({ name }) => name));
    expect(held).toEqual(Array(4).fill(['bare Map and heap', 'FIFO pool']));
    expect(readFileSync(join(folder, 'latest.md'), 'utf8')).toContain('## ephemeral');
  });

  test('of one row in two passes puts their rounds together, and exits with 1 where a stored ratio is out of reach', async () => {
    const path = join(ephemeral.folder, 'better.json');
    writeFileSync(path, JSON.stringify(scaled(ephemeral.result, 'ephemeral', 1_000_000)));
    const given = ['--only', 'ephemeral', '--row', 'receive-100', '--rounds', '2', '--check', path];
    const { code, said, result } = await run(...given);
    expect([code, result.passes, idsOf(result)]).toEqual([1, { ephemeral: 2 }, ['receive-100']]);
    expect(result.goals.map(({ title }) => title)).toEqual(['receive by 100: cost at 100 ÷ cost at 10']);
    expect(result.rows.map(({ cost }) => cost.rounds)).toEqual([2, 2]);
    for (const { limits } of result.rows) expect(limits[0]?.passesApart).toBeGreaterThanOrEqual(0);
    expect(said).toContain('ephemeral: receive by 100, n = 100, against bare Map');
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
    const own = ['restart', ...events, 'events-second-node', 'memory'];
    expect(idsOf(result)).toEqual([...everywhere, ...own, ...byPriority]);
    expect(result.rows.every(({ cost }) => Number.isFinite(cost.median))).toBe(true);
    expect(result.goals.filter(({ title }) => title.startsWith('leader'))).toHaveLength(2);
  });

  test('lets FIFO pools take turns with those of another checkout, and measures nothing else', async () => {
    const { code, result } = await run('--only', 'ephemeral', '--against', root);
    expect(code).toBe(0);
    expect(idsOf(result).toSorted()).toEqual(['receive-1', 'receive-100', ...lifecycle, 'memory'].toSorted());
    expect(result.rows.every(({ limits }) => limits.length === 1)).toBe(true);
    expect(result.goals).toHaveLength(result.rows.length);
  });

  test("puts somebody else's backend beside ours, held against what promises as much", async () => {
    const subject = join(root, 'examples/custom-backend/test/subject.ts');
    const { code, result } = await run('--only', 'ephemeral', '--row', 'ranked-evict-100', '--subject', subject);
    expect(code).toBe(0);
    expect(new Set(result.rows.map(({ backend }) => backend))).toEqual(new Set(['ephemeral', 'journal']));
    const limits = result.rows.filter(({ backend }) => backend === 'journal').flatMap((row) => row.limits);
    expect(new Set(limits.map(({ name }) => name))).toEqual(new Set(['bare better-sqlite3, indexed', 'FIFO pool']));
  });
});
