import type { BenchContext } from './context.ts';
import type { Figure } from './measure.ts';
import { peerComparison } from './peer-comparison.ts';
import type { Section } from './result.ts';

export interface ExtraResult {
  /** Goals of its own. */
  readonly goals: readonly Figure[];
  /** Tables of its own. */
  readonly sections: readonly Section[];
}

/** What else a whole run measures and prints; a run of one backend leaves out what is not about it. */
export interface Extra {
  run(context: BenchContext): Promise<ExtraResult>;
}

/** The one place to plug in a comparison with something else. */
export const extras: readonly Extra[] = [peerComparison];
