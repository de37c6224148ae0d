import type { ConformanceCase } from '../case/case.ts';
import type { CaseOutcome, CaseResult } from '../case/outcome.ts';
import { profileOf, type Report } from '../report/report.ts';

/** Returns the line to print for a result; `null` if there is none. */
export function progressLine({ case: one, outcome, durationMs }: CaseResult): string | null {
  const name = named(one);
  switch (outcome.kind) {
    case 'passed':
      return `passed       ${name} (${Math.round(durationMs)} ms)`;
    case 'failed':
      return `failed       ${one.id} (${one.level}): ${one.title}\n${indented(outcome)}`;
    case 'known-gap':
      return `known gap    ${one.id} (${one.level}): ${outcome.reason}`;
    case 'unsupported':
      return `unsupported  ${name}: needs ${outcome.missing.join(', ')}`;
    case 'by-core':
      return `by core      ${name}`;
    case 'skipped':
      return null;
  }
}

/** Most cases are a MUST; the others say so. */
function named({ id, level }: ConformanceCase): string {
  return level === 'MUST' ? id : `${id} (${level})`;
}

function indented({ error, details }: Extract<CaseOutcome, { kind: 'failed' }>): string {
  return [error.message, ...details].join('\n').replace(/^/gm, '    ');
}

export function listLine(one: ConformanceCase): string {
  const { needs = [], title } = one;
  const needed = needs.length === 0 ? '' : ` [needs ${needs.join(', ')}]`;
  return `${named(one)}: ${title} (${profileOf(one)})${needed}`;
}

export function closingLines({ subject, result, seed, counts, profiles, wallMs }: Report & { wallMs: number }): string {
  const inProfiles = Object.entries(profiles).map(([name, { passed }]) => `${name} ${passed}`);
  const told = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  const took = `${(wallMs / 1_000).toFixed(1)} s`;
  return `\n${subject}: ${result} (${told.join(', ')}; passed by profile: ${inProfiles.join(', ')}; seed ${seed}; took ${took})`;
}
