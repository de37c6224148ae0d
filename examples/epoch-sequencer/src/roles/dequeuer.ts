import type { Part } from '../process/role.ts';

/** Checks submissions. */
export function run({ sequencer, signal, working }: Part): Promise<unknown> {
  working();
  return sequencer.dequeuer.run({ signal });
}
