import type { ConformanceCase, Need, Subject } from './case.ts';

/** What became of one case. */
export type CaseOutcome =
  | { readonly kind: 'passed' }
  /** A case listed in `knownGaps` that passes has failed, too: the list is wrong. */
  | {
      readonly kind: 'failed';
      readonly error: Error;
      /** Lines: what was compared, and the last calls. */
      readonly details: readonly string[];
    }
  /** It failed, as the subject's `knownGaps` says. */
  | {
      readonly kind: 'known-gap';
      readonly reason: string;
      readonly error: Error;
      readonly details: readonly string[];
    }
  /** The subject lacks what the case needs. */
  | { readonly kind: 'unsupported'; readonly missing: readonly Need[] }
  /** Core's boundary made the subject's stores, and the case is shown of that boundary elsewhere. */
  | { readonly kind: 'by-core' }
  /** Left out by the caller's choice. */
  | { readonly kind: 'skipped' };

export interface CaseResult {
  readonly case: ConformanceCase;
  readonly outcome: CaseOutcome;
  readonly durationMs: number;
}

/** Why a case does not run on a subject; `null`: it does. */
export function reasonNotToRun(one: ConformanceCase, subject: Subject): CaseOutcome | null {
  const missing = missingNeeds(one, subject);
  if (missing.length > 0) return { kind: 'unsupported', missing };
  return one.boundary === true && subject.boundary === 'core' ? { kind: 'by-core' } : null;
}

/** The needs of a case that a subject does not meet. */
export function missingNeeds({ needs = [] }: ConformanceCase, subject: Subject): readonly Need[] {
  return needs.filter((need) => !meets(need, subject));
}

function meets(need: Need, subject: Subject): boolean {
  const { backend, module, leases, leaseTraits = [], forget, damage } = subject;
  switch (need) {
    case 'durable':
    case 'shared':
    case 'lease':
    case 'priority':
      return backend.capabilities[need];
    case 'volatile':
      return !backend.capabilities.durable;
    case 'unshared':
      return !backend.capabilities.shared;
    case 'arrival-verbs':
      return subject.fifoVerbs ?? backend.capabilities.priority;
    case 'child-process':
      return module.startsWith('file:');
    case 'election':
      return leases !== undefined;
    case 'forget':
      return forget !== undefined;
    case 'damage':
      return damage !== undefined;
    case 'hints':
    case 'processes':
      return leaseTraits.includes(need);
  }
}
