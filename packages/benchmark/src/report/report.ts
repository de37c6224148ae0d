import type { Figure } from './figure.ts';
import { cost, digits, spread, table } from './format.ts';
import type { Result } from './result.ts';
import { isRanked, type Row } from './row.ts';
import { quantile } from './spread.ts';

export const quoteStart = '<!-- benchmark: start -->';
export const quoteEnd = '<!-- benchmark: end -->';

/** The whole result as Markdown; READMEs quote the part between the markers. */
export function report(result: Result): string {
  const { rows, goals, sections } = result;
  const met = goals.filter((goal) => goal.met).length;
  const quote = [header(result), ...summary(rows), `${met} of ${goals.length} goals met.`].join('\n\n');
  const parts = [
    '# Benchmark',
    `${quoteStart}\n${quote}\n${quoteEnd}`,
    '## Goals',
    goalTable(goals),
    ...backendsOf(rows).flatMap((backend) => [
      `## ${backend}`,
      rowTable(rows.filter((row) => row.backend === backend)),
    ]),
    ...sections.flatMap(({ title, markdown }) => [`## ${title}`, markdown.trim()]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function backendsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ backend }) => backend))];
}

function header(result: Result): string {
  const { date, sizes, machine } = result;
  const { node, system, processor, memoryGib, betterSqlite3, sqlite, redis, ioredis, revision } = machine;
  const server = redis === null ? '' : `, Redis ${redis} with ioredis ${ioredis}`;
  const at = revision === null ? '' : `, revision ${revision}`;
  const versions = `Node ${node}, SQLite ${sqlite} with better-sqlite3 ${betterSqlite3}${server}`;
  return [
    `Run of ${date.slice(0, 10)}${at}, n = ${sizes.map((n) => n.toLocaleString('en')).join(' / ')}.`,
    `${system}, ${processor}, ${memoryGib} GiB; ${versions}.`,
    `fsync of 4 KiB: ${spread(machine.fsyncsPerSecond, digits)} a second.`,
    ...repeatability(result),
  ].join('\n');
}

/** How far apart the passes are: a second run differs by less. */
function repeatability({ rows, passes }: Result): string[] {
  const apart = rows.flatMap(({ limits }) => limits.flatMap(({ passesApart }) => passesApart ?? []));
  if (apart.length === 0) return [];
  const counts = Object.entries(passes).map((part) => part.join(' '));
  const percent = (share: number): string => `${digits(quantile(apart, share) * 100)} %`;
  return [
    `Passes: ${counts.join(', ')}; the greatest ratio of a pass is above the least by ${percent(0.5)} (median), in nine of ten rows by at most ${percent(0.9)}.`,
  ];
}

/** A table for each kind of pool, with a row for each workload at the largest n. */
function summary(all: readonly Row[]): string[] {
  const largest = Math.max(...all.map(({ n }) => n));
  const rows = all.filter(({ n }) => n === largest);
  const stored = `${largest.toLocaleString('en')} stored`;
  return [
    ...summaryTable(
      stored,
      rows.filter((row) => !isRanked(row)),
    ),
    ...summaryTable(`${stored}, by priority`, rows.filter(isRanked)),
  ];
}

function summaryTable(head: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const backends = backendsOf(rows);
  const cell = (id: string, backend: string): string => {
    const row = rows.find((candidate) => candidate.id === id && candidate.backend === backend);
    return row === undefined ? '–' : `${cost(row.cost.median, row.unit)}${share(row)}`;
  };
  const lines = inOrder(rows).map(({ id, title, per }) => [title, per, ...backends.map((one) => cell(id, one))]);
  return [table([head, 'for each', ...backends], lines)];
}

/** One row of each workload, in the order of the backend with the most of them. */
function inOrder(rows: readonly Row[]): Row[] {
  const byBackend = [...Map.groupBy(rows, ({ backend }) => backend).values()];
  const longestFirst = byBackend.sort((a, b) => b.length - a.length).flat();
  return [...new Map(longestFirst.map((row) => [row.id, row])).values()];
}

/** The part of the limit's speed that it reaches. */
function share({ limits }: Row): string {
  return limits.length === 0 ? '' : ` (${limits.map(({ ratio }) => digits(ratio.median)).join(', ')})`;
}

function goalTable(figures: readonly Figure[]): string {
  return table(
    ['backend', 'what', 'median (least–most)', 'goal', 'met'],
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
  const limits = names.map((name) => `${name}: cost, ratio`);
  return table(
    ['workload', 'n', 'cost (least–most)', 'for each', ...limits, 'growth', 'flatness'],
    rows.map((row) => [
      row.title,
      row.n.toLocaleString('en'),
      spread(row.cost, (value) => cost(value, row.unit)),
      row.per,
      ...names.map((name) => limitCell(row, name)),
      row.growth === null ? '' : digits(row.growth.median),
      row.flatness === null ? '' : spread(row.flatness, digits),
    ]),
  );
}

function limitCell({ limits, unit }: Row, name: string): string {
  const limit = limits.find((candidate) => candidate.name === name);
  return limit === undefined ? '–' : `${cost(limit.cost.median, unit)}, ${spread(limit.ratio, digits)}`;
}
