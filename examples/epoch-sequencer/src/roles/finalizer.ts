import type { Part } from '../process/role.ts';

/** Counts the votes of parts. */
export function run({ sequencer, signal, working }: Part): Promise<unknown> {
  working();
  return sequencer.finalizer.run({ signal });
}
