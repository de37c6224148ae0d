import { setTimeout as delay } from 'node:timers/promises';
import type { Election } from 'mempool-election';
import { openSequencer, type SequencerOptions } from 'mempool-sequencer';
import { electionOf, homeOf } from './home.ts';
import type { Part, Role } from './role.ts';

/** A process loads the modules of its role, and no others. */
const load: Readonly<Record<Role, () => Promise<{ run(part: Part): Promise<unknown> }>>> = {
  gateway: () => import('../roles/gateway.ts'),
  dequeuer: () => import('../roles/dequeuer.ts'),
  finalizer: () => import('../roles/finalizer.ts'),
  monitor: () => import('../roles/monitor.ts'),
  relayer: () => import('../roles/relayer.ts'),
};

/** Does the work of one role until the signal aborts. */
export async function runRole(role: Role, part: Omit<Part, 'sequencer'>): Promise<void> {
  const { run } = await load[role]();
  await using sequencer = await openSequencer(optionsOf(part));
  // The monitor takes part in the election by itself. All others report that they live.
  await using present = electionOf(part.config, part.name, { observer: true });
  if (role !== 'monitor') void reportLife(present, part.signal);
  await run({ ...part, sequencer });
}

/** The work does not wait for it: whoever is not seen works all the same. */
async function reportLife(present: Election, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await present.start();
    } catch {
      await delay(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}

function optionsOf({ config, name, chain, now }: Omit<Part, 'sequencer'>): SequencerOptions {
  const { claimMs, level2TimeoutMs, peerRate } = config;
  const { domain, validator, sign, verifyBatch, verifySlot, isSlot } = chain;
  return {
    ...homeOf(config),
    ...{ domain, validator, sign, verifyBatch, verifySlot, isSlot },
    owner: name,
    now,
    ...{ claimMs, partClaimMs: claimMs, level2TimeoutMs, peerRate },
    idleMs: 100,
    // In place of a content network: these contents are not found, and whoever has the leaves of a batch can compute its id.
    verify: ({ cid }) => !cid.startsWith('missing-'),
    publish: ({ root }) => `root-${root}`,
    // The gateway sends batches.
    gossip: () => undefined,
    reportClock: (offsetMs) => console.error(`the clock is ${offsetMs} ms ahead of the store's`),
    report: (error, epoch) => console.error(`epoch ${epoch}: ${error instanceof Error ? error.message : error}`),
  };
}
