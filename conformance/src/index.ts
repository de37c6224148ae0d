export type {
  CaseContext,
  ChildProcessHandle,
  ConformanceCase,
  Damage,
  ElectionSubject,
  ElectOptions,
  LeasesOptions,
  LeaseTrait,
  LedgerSubject,
  LedgerTrait,
  Level,
  Need,
  Subject,
} from './case/case.ts';
export { onBothOrderings } from './case/ordering.ts';
export type { CaseOutcome, CaseResult } from './case/outcome.ts';
export { Random } from './case/random.ts';
export type { AnySubject } from './case/subject.ts';
export { openLeases } from './case/subject.ts';
export type { OpenedPool, TestedPool } from './case/tested-pool.ts';
export { allCases, electionCases } from './cases/index.ts';
export { ledgerCases } from './cases/ledger/index.ts';
export { checkLeaseHistory, type LeaseHistoryOptions } from './histories/lease-history.ts';
export type { HistoryScope } from './histories/pool/call-maker.ts';
export { checkHistory, type History, type HistoryOptions, makeHistory, tallyOf } from './histories/pool/history.ts';
export type { OpenPool } from './histories/pool/nodes.ts';
export { toMarkdown } from './report/markdown.ts';
export type { Counts, Profile, Report, ReportedCase } from './report/report.ts';
export { ledgerRules, rules, untested } from './report/rules.ts';
export { type BindingOptions, type CaseTest, caseTests } from './runner/case-test.ts';
export { preflight } from './runner/preflight.ts';
export { type CaseOptions, runCase, runSuite, type SuiteOptions } from './runner/run.ts';
