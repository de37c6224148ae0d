import type { Lease } from 'mempool-core';
import { type DriverOptions, isFenced } from 'mempool-core/backend';
import type { SqlFile } from '../file/sql-file.ts';
import type { LeaseClock } from './lease-clock.ts';
import { isExpired, readLease } from './lease-row.ts';

/** X6: only calls under the live lease may move the tip. Used inside the transaction that moves it. */
export class Fence {
  readonly #file: SqlFile;
  readonly #clock: LeaseClock;
  readonly #options: Pick<DriverOptions, 'election' | 'fenced'>;

  constructor(file: SqlFile, clock: LeaseClock, options: Pick<DriverOptions, 'election' | 'fenced'>) {
    this.#file = file;
    this.#clock = clock;
    this.#options = options;
  }

  admits(given: Lease | null): boolean {
    const { election, fenced } = this.#options;
    const { lease } = readLease(this.#file, election);
    const held = lease !== null && !isExpired(lease, this.#clock) ? lease : null;
    return !isFenced(held, given, fenced);
  }

  /** A call that moves the tip shows that the leader is live: restarts the time of its lease, before anything else is written. */
  prolong(given: Lease | null): void {
    if (given !== null) this.#file.run('extendLease', this.#clock.nowMs(), this.#clock.id, this.#options.election);
  }
}
