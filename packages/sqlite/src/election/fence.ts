import type { Lease } from 'mempool-core';
import { type DriverOptions, isFenced } from 'mempool-core/backend';
import type { SqlFile } from '../file/sql-file.ts';
import type { LeaseClock } from './lease-clock.ts';
import { isExpired, readLease } from './lease-row.ts';

/** The check that only calls under the live lease move the tip (X6). It runs inside the transaction that moves it. */
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

  /** Restarts the time of the lease, because a call that moves the tip shows that the leader is live. Call it before other writes. */
  prolong(given: Lease | null): void {
    if (given !== null) this.#file.run('extendLease', this.#clock.nowMs(), this.#clock.id, this.#options.election);
  }
}
