import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { describe, expect, test } from 'vitest';
import { compare } from '../src/report/check.ts';
import { flatnessGoals, goalsAgainst } from '../src/report/figure.ts';
import { cost, spread } from '../src/report/format.ts';
import { quoted, quoteIn, readmes, resultsFolder, write } from '../src/report/publish.ts';
import { quoteEnd, quoteStart, report } from '../src/report/report.ts';
import { readResult } from '../src/report/result.ts';
import { inverted, median, quantile, quotients, spreadOf } from '../src/report/spread.ts';
import { priorityGoals } from '../src/workloads/priority.ts';
import { costs, rowsIn, sampleGoal, sampleResult, scaled } from './sample-result.ts';

describe('a spread', () => {
  test('has the median, the middle half and the extremes of the rounds, in whatever order they came', () => {
    expect(spreadOf([5, 1, 2, 4, 3])).toEqual({ median: 3, lower: 2, upper: 4, least: 1, most: 5, rounds: 5 });
    expect(spreadOf([7])).toEqual({ median: 7, lower: 7, upper: 7, least: 7, most: 7, rounds: 1 });
    expect([median([4, 1, 3, 2]), median([3, 3, 3, 900]), quantile([10, 20], 0.25)]).toEqual([2.5, 3, 12.5]);
    expect(() => spreadOf([])).toThrow(RangeError);
  });

  test('inverted is that of the reciprocals', () => {
    expect(inverted(spreadOf([1, 2, 4, 8, 16]))).toEqual(spreadOf([1, 1 / 2, 1 / 4, 1 / 8, 1 / 16]));
  });

  test('of quotients takes both of the same round', () => {
    expect(quotients([10, 40], [5, 10])).toEqual([2, 4]);
    expect(() => quotients([1, 2], [1])).toThrow(RangeError);
  });
});

describe('a row', () => {
  test('has as ratio the limit ÷ ours round by round, with the rounds of all passes in one spread', () => {
    const [row] = rowsIn([[costs(1_000, [1, 2], { bare: [2, 2] })], [costs(1_000, [4], { bare: [2] })]]);
    expect(row?.cost).toMatchObject({ median: 2, least: 1, most: 4, rounds: 3 });
    expect(row?.limits[0]?.ratio).toMatchObject({ median: 1, least: 0.5, most: 2, rounds: 3 });
  });

  test('tells how far the ratios of its passes are apart', () => {
    const pass = (ratio: number) => [costs(1_000, [1, 1, 9], { bare: [ratio, ratio, 1] })];
    const apart = (...ratios: number[]) => rowsIn(ratios.map(pass))[0]?.limits[0]?.passesApart;
    expect([apart(2, 3, 2.5), apart(2)]).toEqual([0.5, null]);
    expect(() => rowsIn([pass(1), [costs(10_000, [1], {})]])).toThrow(RangeError);
  });

  test.each([
    ['is not flat where it grows and its limit does not', { bare: [1, 1, 1] }, { bare: [1, 1, 1] }, 3],
    [
      'is flat where it grows as its first limit does',
      { bare: [1, 1, 1], b: [1, 1, 1] },
      { bare: [3, 3, 3], b: [9, 9, 9] },
      1,
    ],
    ['is not charged for a limit that gets cheaper with n', { bare: [4, 4, 4] }, { bare: [1, 1, 1] }, 3],
    ['without a limit has its own growth as flatness', {}, {}, 3],
  ])('%s', (_, few, many, flatness) => {
    const [small, large] = rowsIn([[costs(1_000, [1, 2, 3], few), costs(100_000, [3, 6, 9], many)]]);
    expect([small?.growth, small?.flatness]).toEqual([null, null]);
    expect(large).toMatchObject({ growth: { median: 3 }, flatness: { median: flatness } });
  });
});

describe('the goals', () => {
  const ratio = (backend: string, id: string, ours: number, rival: string) =>
    priorityGoals(rowsIn([[costs(1_000, [ours], { bare: [1], [rival]: [1] })]], { backend, id }));

  test.each([
    ['ephemeral', 'ranked-evict-100', 'FIFO pool', 2.5, 2.6],
    ['sqlite', 'ranked-evict-1', 'FIFO pool', 3, 3.1],
    ['redis', 'ranked-evict-100', 'FIFO pool', 3, 3.1],
    ['redis', 'ranked-reap', 'bare index', 2, 2.1],
    ['redis', 'ranked-sweep', 'sweep of nothing', 10, 9],
  ])('of a priority pool hold on %s: %s against a %s', (backend, id, rival, met, missed) => {
    const goals = [met, missed].flatMap((ours) => ratio(backend, id, ours, rival));
    expect(goals.map((goal) => goal.met)).toEqual([true, false]);
    expect(ratio('somebody else', id, missed, rival)).toEqual([]);
  });

  test('of flatness are one for each size above the least, without memory', () => {
    const rows = (most: number, id: string, unit: 'µs' | 'bytes') =>
      rowsIn([[costs(10, [1], {}), costs(20, [most], {})]], { id, unit });
    const goals = flatnessGoals([...rows(2, 'a', 'µs'), ...rows(2.1, 'b', 'µs'), ...rows(9, 'c', 'bytes')]);
    expect(goals.map(({ met }) => met)).toEqual([true, false]);
  });

  test('beside another checkout allow a tenth of speed, and hardly any bytes', () => {
    const met = (unit: 'µs' | 'bytes', theirs: number) =>
      goalsAgainst(rowsIn([[costs(10, [1], { old: [theirs] })]], { unit })).map((goal) => goal.met);
    expect([met('µs', 0.9), met('µs', 0.89), met('bytes', 0.97)]).toEqual([[true], [false], [false]]);
  });
});

describe('the report', () => {
  const goals = [
    sampleGoal([1, 2, 3], { kind: 'at least', value: 0.75 }),
    sampleGoal([1], { kind: 'at least', value: 9 }),
  ];
  const result = sampleResult(goals);
  const markdown = report(result);
  const lines = markdown.split('\n');

  test.each([
    '| receive by 100 | 100,000 | 22.0 µs (20.0 µs–24.0 µs) | transaction | 11.0 µs, 0.500 (0.500–0.500) | 2.00 | 1.00 (1.00–1.00) |',
    '| receive by 100 | transaction | 22.0 µs (0.500) | 22.0 µs (0.500) |',
    '| ephemeral | a goal | 2.00 (1.00–3.00) × | at least 0.75 | yes |',
    '| ephemeral | a goal | 1.00 × | at least 9 | no |',
    'Run of 2030-02-01, n = 1,000 / 100,000.',
    'linux x64, 2 × a processor, 8 GiB; Node 24.0.0, SQLite 3.0.0 with better-sqlite3 1.0.0, Redis 7.0.0 with ioredis 5.0.0.',
    'fsync of 4 KiB: 5,000 (4,000–6,000) a second.',
    'Passes: memory 4, redis 2; the greatest ratio of a pass is above the least by 0.00 % (median), in nine of ten rows by at most 0.00 %.',
    '1 of 2 goals met.',
  ])('has the line %s', (line) => {
    expect(lines).toContain(line);
  });

  test('has a row for each workload, backend and n, and ends with further tables', () => {
    expect(lines.filter((line) => /^\| (receive|status|memory).* \| 100,000 \|/.test(line))).toHaveLength(6);
    expect(lines.slice(-4)).toEqual(['## Another table', '', 'What it says.', '']);
    const headings = report({ ...result, rows: [] }).match(/^## .*$/gm);
    expect(headings).toEqual(['## Goals', '## Another table']);
  });

  test('sums up priority pools in a table of their own', () => {
    const ranked = result.rows.map((row) => ({ ...row, id: `ranked-${row.id}`, title: `${row.title}, sorted` }));
    const quote = quoted(report({ ...result, rows: [...result.rows, ...ranked] })) ?? '';
    const tables = quote.split('\n\n').filter((part) => part.startsWith('| 100,000 stored'));
    expect(tables.map((part) => part.includes(', sorted |'))).toEqual([false, true]);
  });

  test('has as many cells in every line of a table as in its head', () => {
    const tables = markdown.split('\n\n').filter((part) => part.startsWith('|'));
    for (const table of tables) expect(new Set(table.split('\n').map((line) => line.split('|').length)).size).toBe(1);
  });

  test('gives a figure a unit that fits it, and no spread after a single round', () => {
    const shown = [0.1234, 12, 1_500, 123_456].map((value) => cost(value, 'µs'));
    expect([...shown, cost(1_234.5, 'bytes')]).toEqual(['0.123 µs', '12.0 µs', '1.50 ms', '123 ms', '1,235 bytes']);
    expect(spread(spreadOf([4]), String)).toBe('4');
  });
});

describe('a published run', () => {
  test('gives the same report and no regression when it is read back', () => {
    const folder = join(scratchFolder(), 'results');
    write(sampleResult(), folder, 'latest');
    expect(readdirSync(folder).sort()).toEqual(['latest.json', 'latest.md']);
    const result = readResult(join(folder, 'latest.json'));
    expect(report(result)).toBe(readFileSync(join(folder, 'latest.md'), 'utf8'));
    expect(compare(result, sampleResult())).toMatchObject({ compared: 12, missing: 0, worse: [], unsure: [] });
  });

  test('of another format is refused', () => {
    const folder = scratchFolder();
    write({ ...sampleResult(), format: 1 as 3 }, folder, 'latest');
    expect(() => readResult(join(folder, 'latest.json'))).toThrow(Error);
  });

  test('is quoted in the READMEs', () => {
    const stored = readFileSync(join(resultsFolder, 'latest.md'), 'utf8');
    const quotes = readmes.filter(existsSync).map((path) => quoted(readFileSync(path, 'utf8')));
    expect(quotes).toContain(quoted(stored));
    for (const quote of quotes) expect([null, quoted(stored)]).toContain(quote);
  });

  test('is quoted between the markers, and nothing else changes', () => {
    const path = join(scratchFolder(), 'README.md');
    writeFileSync(path, `before $&\n${quoteStart}old${quoteEnd}\nafter\n`);
    const markdown = report(sampleResult());
    quoteIn([path], markdown);
    expect(readFileSync(path, 'utf8')).toBe(`before $&\n${quoteStart}${quoted(markdown)}${quoteEnd}\nafter\n`);
  });
});

describe('the regression check', () => {
  const stored = sampleResult();
  const one = (values: readonly number[], kind: 'at least' | 'at most', unit: '×' | 'bytes' = '×') =>
    sampleResult([sampleGoal(values, { kind, value: 2 }, { unit })]);
  const slower = stored.rows.map((row) => ({ ...row, cost: { ...row.cost, median: row.cost.median * 9 } }));
  const redisOnly = { ...stored, rows: stored.rows.filter(({ backend }) => backend === 'redis') };
  const none = { missing: 0, worse: 0, unsure: 0 };

  test.each([
    ['finds nothing between a run and itself', stored, stored, { compared: 12 }],
    ['lets ratios fall by less than 15 %', stored, scaled(stored, 'ephemeral', 0.87), { compared: 12 }],
    ['names every row whose ratios fell by more', stored, scaled(stored, 'ephemeral', 0.8), { compared: 12, worse: 6 }],
    ['lets those of Redis fall by 30 %', stored, scaled(stored, 'redis', 0.72), { compared: 12 }],
    ['and not by more', stored, scaled(stored, 'redis', 0.68), { compared: 12, worse: 6 }],
    ['takes what got better for no regression', stored, scaled(stored, 'ephemeral', 3), { compared: 12 }],
    ['looks at no times: a slower machine passes', stored, { ...stored, rows: slower }, { compared: 12 }],
    ['holds "at most" against growth', one([1], 'at most'), one([1.2], 'at most'), { compared: 13, worse: 1 }],
    ['holds "at least" against a fall', one([3], 'at least'), one([2.5], 'at least'), { compared: 13, worse: 1 }],
    ['compares no bytes', one([300], 'at most', 'bytes'), one([900], 'at most', 'bytes'), { compared: 12 }],
    [
      'is unsure where the middle halves overlap',
      one([6, 8, 10, 12, 14], 'at least'),
      one([4, 6, 8, 9, 10], 'at least'),
      { compared: 13, unsure: 1 },
    ],
    ['counts what this run left out', stored, redisOnly, { compared: 6, missing: 6 }],
    ['and leaves out what only this one has', redisOnly, stored, { compared: 6 }],
  ])('%s', (_, before, now, expected) => {
    const { compared, missing, worse, unsure } = compare(before, now);
    const counts = { compared, missing, worse: worse.length, unsure: unsure.length };
    expect(counts).toEqual({ ...none, ...expected });
  });

  test('says which row got worse, and by how much', () => {
    const key = 'ephemeral: receive by 100, n = 100,000, against bare';
    expect(compare(stored, scaled(stored, 'ephemeral', 0.5)).worse).toContainEqual({ key, stored: 0.5, now: 0.25 });
  });
});
