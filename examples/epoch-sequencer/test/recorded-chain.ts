import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from 'mempool-core';
import type { ChainEvent, Sequencer } from 'mempool-sequencer';
import type { ChainSide } from '../src/process/role.ts';
import { domain, isSlot, signerOf, verifyBatch, verifySlot } from './keys.ts';

/** A chain that says what was written down, to each leader from the beginning, and takes nothing. */
export class RecordedChain {
  readonly events: ChainEvent[] = [];

  sideOf(validator: string): ChainSide {
    return {
      domain,
      validator,
      sign: signerOf(validator),
      verifySlot,
      isSlot,
      verifyBatch,
      follow: (sequencer, { lease }, { signal }) => this.#tell(sequencer, lease, signal),
      relay: async () => undefined,
    };
  }

  async #tell({ monitor }: Sequencer, lease: Lease, signal: AbortSignal): Promise<void> {
    for (let told = 0; !signal.aborted; await delay(20))
      for (; told < this.events.length; told += 1) await monitor.apply(this.events[told] as ChainEvent, lease);
  }
}
