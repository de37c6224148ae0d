import type { Part } from '../process/role.ts';

/** Puts certified results on the chain. */
export function run({ chain, sequencer, signal, working }: Part): Promise<unknown> {
  return chain.relay(sequencer, { signal, working });
}
