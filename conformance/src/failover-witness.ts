/** Writes down who holds the lease, as the store itself says, between which events of the pool. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseStore, Observation } from 'mempool-election';
import { type FailoverEntryOf, hostNow } from './failover-record.ts';
import type { FailoverRecorder } from './failover-recorder.ts';

export interface LeaseWitnessParts {
  readonly recorder: FailoverRecorder;
  readonly leases: Pick<LeaseStore, 'observe'>;
  /** The number of the pool's newest event. */
  readonly newestEvent: () => Promise<number>;
}

/** Between two looks: a block that comes between two holders is compared with neither. */
const pauseMs = 5;

export class LeaseWitness {
  readonly #parts: LeaseWitnessParts;
  #last: FailoverEntryOf<'held'> | null = null;

  constructor(parts: LeaseWitnessParts) {
    this.#parts = parts;
  }

  /** Looks until the signal aborts. A store that does not answer is asked again. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look().catch(() => undefined);
      await delay(pauseMs);
    }
  }

  /** What is held before and after the pool tells its newest event was held at that event. */
  async look(): Promise<void> {
    const { leases, newestEvent, recorder } = this.#parts;
    const before = holderOf(await leases.observe());
    const eventSeq = await newestEvent();
    const { term, token } = holderOf(await leases.observe());
    if (before.term !== term || before.token !== token) return;
    const isKnown = this.#last?.eventSeq === eventSeq && this.#last.token === token && this.#last.term === term;
    if (isKnown) return;
    this.#last = { kind: 'held', at: hostNow(), eventSeq, term, token };
    recorder.write(this.#last);
  }
}

function holderOf({ lease, term }: Observation): { readonly term: number; readonly token: string | null } {
  return { term, token: lease?.token ?? null };
}
