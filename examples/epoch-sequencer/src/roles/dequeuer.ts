import type { Part } from '../process/role.ts';

/** Checks submissions. */
export function run({ sequencer, signal }: Part): Promise<unknown> {
  return sequencer.dequeuer.run({ signal });
}
