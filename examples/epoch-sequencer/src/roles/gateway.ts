import { createHash } from 'node:crypto';
import { broadcast } from 'mempool-sequencer';
import { Gossip } from 'mempool-sequencer/gossip';
import { openEntry } from '../network/entry.ts';
import { networkOf } from '../process/config.ts';
import type { Part } from '../process/role.ts';

/** Everything that comes in, and the messages to the other validators. */
export async function run({ config, name, sequencer, signal, working }: Part): Promise<void> {
  const { key, gossipPort: port, httpPort, peers, claimMs } = config;
  const seed = createHash('sha256').update(`peer ${key}`).digest();
  await using gossip = await Gossip.open({ network: networkOf(config), seed, port, peers }, sequencer);
  await using _entry = await openEntry(httpPort, sequencer.gateway, (message) => gossip.sendSubmission(message));
  const send = (message: Uint8Array) => gossip.sendBatch(message);
  working();
  await broadcast(sequencer.namespace, { owner: name, claimMs, signal, gossip: send });
}
