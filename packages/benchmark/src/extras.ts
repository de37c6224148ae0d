import type { BenchContext } from './context.ts';
import type { Measure } from './measure.ts';
import type { Section } from './result.ts';

/** What else a whole run measures and prints; a run of one backend leaves out what is not about it. */
export interface Extra {
  /** Goals of its own. */
  measures(context: BenchContext): Promise<readonly Measure[]> | readonly Measure[];
  /** Tables of its own. */
  sections(context: BenchContext): Promise<readonly Section[]> | readonly Section[];
}

/** The one place to plug in a comparison with something else. */
export const extras: readonly Extra[] = [];
