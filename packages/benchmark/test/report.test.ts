import { describe, expect, test } from 'vitest';
import { cost, spread } from '../src/report/format.ts';
import { quoted } from '../src/report/publish.ts';
import { report } from '../src/report/report.ts';
import { spreadOf } from '../src/report/spread.ts';
import { sampleGoal, sampleResult } from './sample-result.ts';

const result = sampleResult([
  sampleGoal([1, 2, 3], { kind: 'at least', value: 0.75 }),
  { ...sampleGoal([1], { kind: 'at least', value: 9 }), met: false },
]);
const markdown = report(result);
const lines = markdown.split('\n');

describe('the report', () => {
  test('has a row for every workload of every backend at every n', () => {
    for (const backend of ['ephemeral', 'redis']) {
      const section = markdown.slice(markdown.indexOf(`\n## ${backend}\n`)).split('\n## ')[1] ?? '';
      expect(section.split('\n').filter((line) => /^\| (receive|status|memory)/.test(line))).toHaveLength(6);
    }
  });

  test('gives cost, limit, ratio, growth and flatness', () => {
    expect(lines).toContain(
      '| receive by 100 | 100,000 | 22.0 µs (20.0 µs–24.0 µs) | transaction | 11.0 µs, 0.500 (0.500–0.500) | 2.00 | 1.00 (1.00–1.00) |',
    );
  });

  test('sums up what the most stored cost, with the share of the limit', () => {
    expect(lines).toContain('| receive by 100 | transaction | 22.0 µs (0.500) | 22.0 µs (0.500) |');
  });

  test('sums up pools by priority in a table of their own', () => {
    const ranked = result.rows.map((row) => ({ ...row, id: `ranked-${row.id}`, title: `${row.title}, sorted` }));
    const quote = quoted(report({ ...result, rows: [...result.rows, ...ranked] })) ?? '';
    const tables = quote.split('\n\n').filter((part) => part.startsWith('| 100,000 stored'));
    expect(tables.map((part) => part.split('\n')[0])).toEqual([
      '| 100,000 stored | for each | ephemeral | redis |',
      '| 100,000 stored, by priority | for each | ephemeral | redis |',
    ]);
    expect(tables.map((part) => part.includes(', sorted |'))).toEqual([false, true]);
  });

  test('shows each goal with its figure, and whether it is met', () => {
    expect(lines).toContain('| ephemeral | a goal | 2.00 (1.00–3.00) × | at least 0.75 | yes |');
    expect(lines).toContain('| ephemeral | a goal | 1.00 × | at least 9 | no |');
  });

  test('says how far apart the passes of the run are', () => {
    // The limits of the sample are half as dear as ours in every round.
    expect(report(sampleResult())).toContain(
      'Passes: memory 4, redis 2; the greatest ratio of a pass is above the least by 0.00 % (median)',
    );
  });

  test('says when, where, with what and at which fsync rate it was measured', () => {
    const head = quoted(markdown) ?? '';
    for (const part of [
      '2030-02-01',
      'Node 24.0.0',
      'SQLite 3.0.0',
      'Redis 7.0.0',
      '2 × a processor',
      '5,000 (4,000–6,000) a second',
    ])
      expect(head).toContain(part);
  });

  test('ends with the tables that others add', () => {
    expect(lines.slice(-4)).toEqual(['## Another table', '', 'What it says.', '']);
  });

  test('has as many cells in every line of a table as in its head', () => {
    let width = 0;
    for (const line of lines) {
      const cells = line.split('|').length;
      if (!line.startsWith('|')) width = 0;
      else if (width === 0) width = cells;
      else expect([line, cells]).toEqual([line, width]);
    }
  });
});

describe('the report of a run without workloads', () => {
  test('has its goals and other tables alone', () => {
    const headings = report({ ...result, rows: [] })
      .split('\n')
      .filter((line) => line.startsWith('## '));
    expect(headings).toEqual(['## Goals', '## Another table']);
  });
});

describe('a figure', () => {
  test('has a unit that fits it', () => {
    expect([cost(0.1234, 'µs'), cost(12, 'µs'), cost(1_500, 'µs'), cost(123_456, 'µs')]).toEqual([
      '0.123 µs',
      '12.0 µs',
      '1.50 ms',
      '123 ms',
    ]);
    expect(cost(1_234.5, 'bytes')).toBe('1,235 bytes');
  });

  test('has no spread after a single round', () => {
    expect(spread(spreadOf([4]), String)).toBe('4');
  });
});
