import type { Part } from '../process/role.ts';

/** Counts the votes of parts. */
export function run({ sequencer, signal }: Part): Promise<unknown> {
  return sequencer.finalizer.run({ signal });
}
