import type { Election } from 'mempool-election';
import { type Agreement, encodeSubmission, openSequencer, type SequencerOptions } from 'mempool-sequencer';

/** One epoch of half a second at a single validator. */
export async function run(options: SequencerOptions, election: Election, signature: string): Promise<Agreement | null> {
  await using sequencer = await openSequencer(options);
  const stop = new AbortController();
  const working = sequencer.run(stop);
  const leading = election.runAsLeader((signal, _, part) => sequencer.lead(part, { signal }), stop);
  await sequencer.window.open({ epoch: 1, closesAt: Date.now() + 500, validators: [options.validator] });
  const message = encodeSubmission({ epoch: 1, slot: 7, project: 'btc', cid: 'bafy1', signature });
  console.log(await sequencer.gateway.accept(message, { peer: 'peer-1' }));
  console.log((await sequencer.waitFor(1, 'onchain')).root);
  stop.abort();
  await Promise.allSettled([working, leading]);
  return sequencer.agreement(1);
}
