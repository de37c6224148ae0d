import { titled } from './markdown.ts';
import type { Counts, Report } from './report.ts';
import { ledgerRules, rules, untested } from './rules.ts';

const markers = ['<!-- conformance:start -->', '<!-- conformance:end -->'] as const;

/** Returns a table of the rules of ledgers and their backends. */
export function ledgerMatrix(all: readonly Report[]): string {
  return [
    "Cases of ledgers passed, per rule of [mempool-ledger](../packages/ledger/docs/rules.md). *n/a*: the case needs a clock that it moves, or what a ledger in one process's memory is not: found again, or shared.",
    '',
    ...table(all, ledgerRules),
  ].join('\n');
}

/** Returns a table of rules and backends, with the number of cases that passed. */
export function matrix(all: readonly Report[]): string {
  checkShown(all);
  return [
    'Conformance cases passed, per rule and backend. A case for every pool runs on pools of both orderings and counts for each. *n/a*: the backend does not claim the capability that the case needs. *by core*: the case is about the boundary that core puts around the backend; it passed in another column.',
    '',
    ...table(all, rules),
    '',
    'Not shown by the suite:',
    '',
    ...Object.entries(untested).map(([what, reason]) => `- ${what}: ${reason}.`),
  ].join('\n');
}

function table(all: readonly Report[], rows: Readonly<Record<string, string>>): string[] {
  const totals = all.map(({ counts }) => `**${cell(counts)}**`);
  return [
    `| Rule | ${all.map(({ subject }) => subject).join(' | ')} |`,
    `|---|${all.map(() => '---:').join('|')}|`,
    ...Object.keys(rows).map(
      (rule) => `| ${titled(rule)} | ${all.map((report) => ruleCell(report, rule)).join(' | ')} |`,
    ),
    `| **All** | ${totals.join(' | ')} |`,
  ];
}

/** @throws Error if a case counts as tested on core's boundary, and no report has it passed */
function checkShown(all: readonly Report[]): void {
  const cases = all.flatMap((report) => report.cases);
  const passed = new Set(cases.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id));
  const missing = cases.find(({ id, outcome }) => outcome === 'by-core' && !passed.has(id));
  if (missing !== undefined) throw new Error(`no report shows ${missing.id} of core's boundary`);
}

function ruleCell({ rules: counted }: Report, rule: string): string {
  const counts = counted[rule];
  return counts === undefined ? '–' : cell(counts);
}

function cell({ passed, failed, unsupported, skipped, ...rest }: Counts): string {
  const wrong = failed + skipped + rest['known-gap'];
  const parts = [
    passed > 0 || unsupported + rest['by-core'] === 0 ? `${passed}` : '',
    unsupported > 0 ? `${unsupported} n/a` : '',
    rest['by-core'] > 0 ? `${rest['by-core']} by core` : '',
    wrong > 0 ? `${wrong} not passed` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Returns the text with the matrix between its markers. @throws Error if they are missing */
export function withMatrix(text: string, body: string): string {
  const [start, end] = markers;
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`MATRIX.md lacks the markers ${start} and ${end}`);
  return `${text.slice(0, from + start.length)}\n${body}\n${text.slice(to)}`;
}
