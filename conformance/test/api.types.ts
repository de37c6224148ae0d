// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import {
  allCases,
  type CaseOutcome,
  type ConformanceCase,
  type ElectionSubject,
  electionCases,
  openLeases,
  type Report,
  runSuite,
  type Subject,
} from 'mempool-conformance';
import { testElection, testMempoolStore } from 'mempool-conformance/vitest';
import type { Backend } from 'mempool-core';
import { inProcessElection, Leases } from 'mempool-election';

declare const backend: Backend;

/** What a backend author writes. */
export const subject: Subject = {
  name: 'mine',
  module: import.meta.url,
  backend,
  open: (pool, options) => backend.open({ ...options, pool }),
  knownGaps: { 'L2/duplicate-live': 'not written yet' },
};

// @ts-expect-error without its module no child process could open the pool
export const unreachable: Subject = { name: 'mine', backend, open: subject.open };

const leases = new Leases();

/** What the author of an election writes. */
export const election: ElectionSubject = {
  name: 'mine',
  module: import.meta.url,
  leases: (_, options) => openLeases(inProcessElection, { leases }, options),
  leaseTraits: ['hints'],
};

// @ts-expect-error a provider with options of its own needs them
openLeases(inProcessElection, {});

export async function runElection(): Promise<Report> {
  testElection(election, { cases: electionCases });
  // @ts-expect-error an election has no pools
  testMempoolStore(election);
  return runSuite(election);
}

/** Runners stand on data: any part of the suite, in any order. */
export async function run(): Promise<Report> {
  testMempoolStore(subject, { cases: allCases.filter(({ level }) => level === 'MUST') });
  // @ts-expect-error a subject, not a backend
  testMempoolStore(backend);
  return runSuite(subject, { seed: 1, onResult: ({ outcome }) => outcomes(outcome) });
}

export function outcomes(outcome: CaseOutcome): string {
  switch (outcome.kind) {
    case 'passed':
    case 'by-core':
    case 'skipped':
      return outcome.kind;
    case 'failed':
      return outcome.error.message;
    case 'known-gap':
      return outcome.reason;
    case 'unsupported':
      return outcome.missing.join();
  }
}

/** A case of one's own is as good as the kit's. */
export const own: ConformanceCase = {
  id: 'X9/own',
  level: 'SHOULD',
  rule: 'X9',
  title: 'says its name',
  since: '0.1.0',
  needs: ['durable'],
  async run({ open }) {
    await open({ maxEvents: 1 });
  },
};
