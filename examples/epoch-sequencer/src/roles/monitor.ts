import { electionOf } from '../process/home.ts';
import type { Part } from '../process/role.ts';

/** The event monitor with the aggregator: one of them leads. */
export async function run({ config, name, sequencer, chain, signal, working }: Part): Promise<void> {
  await using election = electionOf(config, name);
  await election.start();
  working();
  const leading = election.runAsLeader(
    async (lost, _, leadership) => {
      await Promise.all([
        sequencer.lead(leadership, { signal: lost }),
        chain.follow(sequencer, leadership, { signal: lost }),
      ]);
    },
    { signal },
  );
  const ended = leading.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  await Promise.all([ended, sequencer.aggregator.collect({ owner: name, claimMs: config.claimMs, signal })]);
}
