import type { Counts, Report, ReportedCase } from './report.ts';
import { everyRule } from './rules.ts';

/** Returns the report as Markdown, for people. */
export function toMarkdown(report: Report): string {
  const { subject, result, seed, versions, capabilities } = report;
  const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
  return [
    `# Conformance of ${subject}: ${result}`,
    '',
    ...Object.entries(versions).map(([name, version]) => `- ${name} ${version}`),
    `- seed ${seed}`,
    `- capabilities: ${list(capabilities.supported)}; unsupported: ${list(capabilities.unsupported)}`,
    '',
    ...countsTable('Profile', Object.entries(report.profiles)),
    '',
    ...countsTable(
      'Rule',
      Object.entries(report.rules).map(([rule, counts]) => [titled(rule), counts]),
    ),
    ...section('Failed', report.cases, 'failed', ({ error = '', details = [] }) =>
      fenced([error, ...details].join('\n')),
    ),
    ...section('Known gaps', report.cases, 'known-gap', ({ reason = '' }) => [reason, '']),
    ...unsupported(report.cases),
    '',
  ].join('\n');
}

export function titled(rule: string): string {
  const title = everyRule[rule];
  return title === undefined ? rule : `**${rule}** ${title}`;
}

function countsTable(head: string, rows: readonly (readonly [string, Counts])[]): string[] {
  return [
    `| ${head} | passed | failed | known gaps | unsupported | by core | skipped |`,
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows.map(([name, counts]) => {
      const { passed, failed, unsupported: missing, skipped } = counts;
      return `| ${name} | ${passed} | ${failed} | ${counts['known-gap']} | ${missing} | ${counts['by-core']} | ${skipped} |`;
    }),
  ];
}

function section(
  title: string,
  cases: readonly ReportedCase[],
  outcome: ReportedCase['outcome'],
  body: (one: ReportedCase) => string[],
): string[] {
  const chosen = cases.filter((one) => one.outcome === outcome);
  if (chosen.length === 0) return [];
  return [
    '',
    `## ${title}`,
    ...chosen.flatMap((one) => ['', `### ${one.id} (${one.level})`, '', one.title, '', ...body(one)]),
  ];
}

function fenced(text: string): string[] {
  return ['```', text, '```'];
}

function unsupported(cases: readonly ReportedCase[]): string[] {
  const chosen = cases.filter(({ outcome }) => outcome === 'unsupported');
  if (chosen.length === 0) return [];
  return ['', '## Unsupported', '', ...chosen.map(({ id, missing = [] }) => `- ${id}: needs ${missing.join(', ')}`)];
}
