export type {
  CaseContext,
  ChildProcessHandle,
  ConformanceCase,
  Level,
  Need,
  Subject,
} from './case.ts';
export { allCases } from './cases/index.ts';
export type { CaseOutcome, CaseResult } from './outcome.ts';
export { Random } from './random.ts';
export type { Counts, Profile, Report, ReportedCase } from './report.ts';
export { type CaseOptions, runCase, runSuite, type SuiteOptions } from './run.ts';
