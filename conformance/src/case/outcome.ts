import type { ConformanceCase, Need, Subject } from './case.ts';

/** The outcome of one case. */
export type CaseOutcome =
  | { readonly kind: 'passed' }
  /** The case failed. A case in `knownGaps` that passes counts as failed too, because the list is wrong. */
  | {
      readonly kind: 'failed';
      readonly error: Error;
      /** Lines that show the compared values and the last calls. */
      readonly details: readonly string[];
    }
  /** The case failed, and the subject's `knownGaps` lists it. */
  | {
      readonly kind: 'known-gap';
      readonly reason: string;
      readonly error: Error;
      readonly details: readonly string[];
    }
  /** The subject lacks something that the case needs. */
  | { readonly kind: 'unsupported'; readonly missing: readonly Need[] }
  /** Core's boundary made the subject's stores, and the case runs against that boundary elsewhere. */
  | { readonly kind: 'by-core' }
  /** The caller left the case out. */
  | { readonly kind: 'skipped' };

export interface CaseResult {
  readonly case: ConformanceCase;
  readonly outcome: CaseOutcome;
  readonly durationMs: number;
}

/** Returns the reason why a case does not run on a subject; `null` if it runs. */
export function reasonNotToRun(one: ConformanceCase, subject: Subject): CaseOutcome | null {
  const missing = missingNeeds(one, subject);
  if (missing.length > 0) return { kind: 'unsupported', missing };
  return one.boundary === true && subject.boundary === 'core' ? { kind: 'by-core' } : null;
}

/** Returns the needs of a case that a subject does not meet. */
export function missingNeeds({ needs = [] }: ConformanceCase, subject: Subject): readonly Need[] {
  return needs.filter((need) => !meets(need, subject));
}

function meets(need: Need, subject: Subject): boolean {
  const { backend, module, leases, leaseTraits = [], ledger, ledgerTraits = [], forget, damage } = subject;
  switch (need) {
    case 'durable':
    case 'shared':
    case 'lease':
    case 'priority':
    case 'records':
    case 'import':
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
    case 'ledger':
      return ledger !== undefined;
    case 'clock':
      return ledgerTraits.includes(need);
    case 'forget':
      return forget !== undefined;
    case 'damage':
      return damage !== undefined;
    case 'remove':
      return subject.remove !== undefined;
    case 'renew':
      return !backend.capabilities.durable || subject.renew !== undefined || subject.destroy !== undefined;
    case 'hints':
    case 'processes':
      return leaseTraits.includes(need);
  }
}
