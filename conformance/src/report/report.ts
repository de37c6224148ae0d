import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { ConformanceCase, Level, Need, Subject } from '../case/case.ts';
import type { CaseOutcome, CaseResult } from '../case/outcome.ts';
import { everyRule } from './rules.ts';

export const profileNames = [
  'core',
  'durable',
  'shared',
  'priority',
  'records',
  'import',
  'ledger',
  'election',
] as const;

export type Profile = (typeof profileNames)[number];

export type Counts = Record<CaseOutcome['kind'], number>;

/** One case in a report, as plain values for JSON. */
export interface ReportedCase {
  readonly id: string;
  readonly rule: string;
  readonly level: Level;
  readonly title: string;
  readonly since: string;
  readonly profile: Profile;
  readonly outcome: CaseOutcome['kind'];
  readonly durationMs: number;
  readonly missing?: readonly Need[];
  /** The reason of a known gap. */
  readonly reason?: string;
  /** The error of a failed case or a known gap, with its stack. */
  readonly error?: string;
  /** The compared values and the last calls of a failed case or a known gap. */
  readonly details?: readonly string[];
}

export interface Report {
  readonly subject: string;
  readonly backend: string;
  readonly versions: Readonly<Record<'mempool-conformance' | 'mempool-core' | 'node', string>>;
  readonly seed: number;
  readonly capabilities: { readonly supported: readonly string[]; readonly unsupported: readonly string[] };
  /** The result. `partial` means that nothing failed, but a MUST was skipped or is a known gap. */
  readonly result: 'passed' | 'partial' | 'failed';
  readonly counts: Counts;
  readonly profiles: Readonly<Record<Profile, Counts>>;
  readonly rules: Readonly<Record<string, Counts>>;
  readonly durationMs: number;
  readonly cases: readonly ReportedCase[];
}

/** Returns the narrowest profile that a case belongs to. */
export function profileOf({ needs = [] }: ConformanceCase): Profile {
  if (needs.includes('election')) return 'election';
  if (needs.includes('ledger')) return 'ledger';
  if (needs.includes('priority') || needs.includes('arrival-verbs')) return 'priority';
  if (needs.includes('import')) return 'import';
  if (needs.includes('records')) return 'records';
  if (needs.includes('shared')) return 'shared';
  return needs.includes('durable') ? 'durable' : 'core';
}

export function makeReport(subject: Subject, seed: number, results: readonly CaseResult[]): Report {
  const { name, backend, leases, ledger } = subject;
  const cases = results.map(reported);
  const capabilities = Object.entries({
    ...backend.capabilities,
    election: leases !== undefined,
    ...(ledger && { ledger: true }),
  });
  const named = (wanted: boolean): string[] => capabilities.flatMap(([key, has]) => (has === wanted ? [key] : []));
  const count = (of: (one: ReportedCase) => boolean): Counts => countOutcomes(cases.filter(of));
  return {
    subject: name,
    backend: backend.name,
    versions: versions(),
    seed,
    capabilities: { supported: named(true), unsupported: named(false) },
    result: resultOf(cases),
    counts: countOutcomes(cases),
    profiles: {
      core: count(({ profile }) => profile === 'core'),
      durable: count(({ profile }) => profile === 'durable'),
      shared: count(({ profile }) => profile === 'shared'),
      priority: count(({ profile }) => profile === 'priority'),
      records: count(({ profile }) => profile === 'records'),
      import: count(({ profile }) => profile === 'import'),
      ledger: count(({ profile }) => profile === 'ledger'),
      election: count(({ profile }) => profile === 'election'),
    },
    rules: Object.fromEntries(rulesOf(cases).map((rule) => [rule, count((one) => one.rule === rule)])),
    durationMs: Math.round(cases.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    cases,
  };
}

function reported({ case: one, outcome, durationMs }: CaseResult): ReportedCase {
  const { id, rule, level, title, since } = one;
  const common = { id, rule, level, title, since, profile: profileOf(one), durationMs: Math.round(durationMs) };
  switch (outcome.kind) {
    case 'passed':
    case 'by-core':
    case 'skipped':
      return { ...common, outcome: outcome.kind };
    case 'unsupported':
      return { ...common, outcome: outcome.kind, missing: outcome.missing };
    case 'failed':
      return { ...common, outcome: outcome.kind, error: trace(outcome.error), details: outcome.details };
    case 'known-gap':
      return {
        ...common,
        outcome: outcome.kind,
        reason: outcome.reason,
        error: trace(outcome.error),
        details: outcome.details,
      };
  }
}

function trace(error: Error): string {
  return inspect(error, { depth: 4 });
}

function resultOf(cases: readonly ReportedCase[]): Report['result'] {
  if (cases.some(({ outcome }) => outcome === 'failed')) return 'failed';
  const open = ({ level, outcome }: ReportedCase): boolean =>
    level === 'MUST' && (outcome === 'skipped' || outcome === 'known-gap');
  return cases.some(open) ? 'partial' : 'passed';
}

function countOutcomes(cases: readonly ReportedCase[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, 'known-gap': 0, unsupported: 0, 'by-core': 0, skipped: 0 };
  for (const { outcome } of cases) counts[outcome] += 1;
  return counts;
}

/** In the contract's order; rules of an author's own cases come last. */
function rulesOf(cases: readonly { readonly rule: string }[]): string[] {
  const found = new Set(cases.map(({ rule }) => rule));
  const known = Object.keys(everyRule).filter((rule) => found.delete(rule));
  return [...known, ...found];
}

function versions(): Report['versions'] {
  return {
    'mempool-conformance': versionAt(new URL(import.meta.resolve('mempool-conformance/package.json'))),
    'mempool-core': versionAt(new URL(import.meta.resolve('mempool-core/package.json'))),
    node: process.versions.node,
  };
}

function versionAt(url: URL): string {
  const { version }: { version: string } = JSON.parse(readFileSync(url, 'utf8'));
  return version;
}
