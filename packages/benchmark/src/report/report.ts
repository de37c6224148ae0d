import type { Figure } from './figure.ts';
import { cost, digits, spread, table } from './format.ts';
import type { Result } from './result.ts';
import type { Row } from './row.ts';

/** The whole result as Markdown. */
export function report(result: Result): string {
  const { rows, goals, sections } = result;
  const backends = [...new Set(rows.map(({ backend }) => backend))];
  const parts = [
    '# Benchmark',
    header(result),
    `${goals.filter(({ met }) => met).length} of ${goals.length} goals met.`,
    '## Goals',
    goalTable(goals),
    ...backends.flatMap((name) => [`## ${name}`, rowTable(rows.filter(({ backend }) => backend === name))]),
    ...sections.flatMap(({ title, markdown }) => [`## ${title}`, markdown.trim()]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function header({ date, sizes, passes, machine }: Result): string {
  const { node, system, processor, memoryGib, betterSqlite3, sqlite, redis, ioredis, revision } = machine;
  const server = redis === null ? '' : `, Redis ${redis} with ioredis ${ioredis}`;
  const counts = Object.entries(passes).map((part) => part.join(' '));
  return [
    `Run of ${date.slice(0, 10)}, revision ${revision ?? 'unknown'}, n = ${sizes.map((n) => n.toLocaleString('en')).join(' / ')}.`,
    `${system}, ${processor}, ${memoryGib} GiB; Node ${node}, SQLite ${sqlite} with better-sqlite3 ${betterSqlite3}${server}.`,
    `fsync of 4 KiB: ${spread(machine.fsyncsPerSecond, digits)} a second. Passes: ${counts.join(', ')}.`,
  ].join('\n');
}

function goalTable(figures: readonly Figure[]): string {
  return table(
    ['backend', 'goal of', 'median (least–most)', 'goal', 'met'],
    figures.map(({ backend, title, goal, unit, value, met }) => [
      backend,
      title,
      `${spread(value, digits)} ${unit}`,
      `${goal.kind} ${goal.value.toLocaleString('en')}`,
      met ? 'yes' : 'no',
    ]),
  );
}

function rowTable(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ limits }) => limits.map(({ name }) => name)))];
  const limitCell = ({ limits }: Row, name: string): string => {
    const limit = limits.find((candidate) => candidate.name === name);
    return limit === undefined ? '–' : `${cost(limit.cost.median)}, ${spread(limit.ratio, digits)}`;
  };
  return table(
    [
      'workload',
      'n',
      'cost (least–most)',
      'for each',
      ...names.map((name) => `${name}: cost, ratio`),
      'growth',
      'flatness',
    ],
    rows.map((row) => [
      row.title,
      row.n.toLocaleString('en'),
      spread(row.cost, cost),
      row.per,
      ...names.map((name) => limitCell(row, name)),
      row.growth === null ? '' : digits(row.growth.median),
      row.flatness === null ? '' : spread(row.flatness, digits),
    ]),
  );
}
