export type {
  CaseContext,
  ChildProcessHandle,
  ConformanceCase,
  Damage,
  ElectionSubject,
  ElectOptions,
  LeasesOptions,
  LeaseTrait,
  Level,
  Need,
  Subject,
} from './case.ts';
export { type BindingOptions, type CaseTest, caseTests } from './case-test.ts';
export { allCases, electionCases } from './cases/index.ts';
export { checkHistory, type HistoryOptions, historyOptions, transcript } from './history.ts';
export { makeHistory, type Universe } from './history-calls.ts';
export { checkLeaseHistory, type LeaseHistoryOptions } from './lease-history.ts';
export { openLeases } from './lease-opening.ts';
export { toMarkdown } from './markdown.ts';
export { Model, type ModelOptions } from './model/model.ts';
export { onBothOrderings } from './ordering.ts';
export type { CaseOutcome, CaseResult } from './outcome.ts';
export { preflight } from './preflight.ts';
export {
  checkPriorityHistory,
  makePriorityHistory,
  type PriorityHistory,
  type PriorityHistoryOptions,
  tallyOf,
} from './priority/history.ts';
export { Random } from './random.ts';
export type { Counts, Profile, Report, ReportedCase } from './report.ts';
export { rules, untested } from './rules.ts';
export { type CaseOptions, runCase, runSuite, type SuiteOptions } from './run.ts';
export type { AnySubject } from './subject.ts';
