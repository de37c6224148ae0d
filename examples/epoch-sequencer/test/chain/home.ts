import { join } from 'node:path';
import { createElection, type Election } from 'mempool-election';
import { encodeSubmission, openSequencer, poolNames, type Sequencer, type SequencerOptions } from 'mempool-sequencer';
import type { Deployed } from 'mempool-sequencer/evm';
import { signerOf, signSubmission, slotVerifier, verifyBy } from 'mempool-sequencer/evm';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { keyOf, type Validator } from './cast.ts';

/** The private key of the only slot. */
const slotKey = keyOf(50);

/** A message that the slot signed. */
export function submission({ domain }: Deployed, epoch: number, project: string, cid: string): Uint8Array {
  const unsigned = { epoch, slot: 1, project, cid };
  return encodeSubmission({ ...unsigned, signature: signSubmission(unsigned, { domain, privateKey: slotKey }) });
}

/** Nobody is absent in these tests, so no wait for the others is ever over. */
const forAll = 3_600_000;

/** One validator's sequencer on files of its own, and its election. `now` is its clock and that of its epochs' store. */
export async function openHome(
  { domain }: Deployed,
  { address, sign }: Validator,
  gossip: SequencerOptions['gossip'],
  now: () => number = Date.now,
): Promise<{ readonly sequencer: Sequencer; readonly election: Election; readonly folder: string }> {
  const folder = scratchFolder();
  const pathOf = (name: string): string => join(folder, `${encodeURIComponent(name)}.sqlite`);
  const sequencer = await openSequencer({
    protocol: 'protocol',
    market: 'market',
    validator: address,
    domain,
    openPool: (name, limits) => {
      // Retries of messages and parts take time.
      const clock = /:(parts|incoming|outgoing)$/.test(name) ? {} : { now };
      const options = { pool: name, path: pathOf(name), synchronous: 'normal', ...limits, ...clock } as const;
      return sqlite.open({ ...options, sweepEveryMs: 50 });
    },
    removePool: async (name) => void (await sqlite.remove({ pool: name, path: pathOf(name) })),
    verifySlot: slotVerifier(new Map([[1, signerOf(slotKey).address]])),
    isSlot: (number) => number === 1,
    publish: ({ root }) => `cid-${root.slice(0, 8)}`,
    sign,
    verifyBatch: ({ digest, validator, signature }) => verifyBy(validator)(digest, signature),
    gossip,
    idleMs: 20,
    level2TimeoutMs: forAll,
    certificateTimeoutMs: forAll,
    now,
  });
  const path = pathOf(poolNames('protocol', 'market').control);
  return {
    sequencer,
    election: createElection(sqliteElection, { path, ttlMs: 1_000, jitterMs: 0, pollMs: 50 }),
    folder,
  };
}
