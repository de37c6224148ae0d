import { type DriverOptions, isFenced, type Lease } from 'mempool-core';
import type { LeaseClock } from './lease-clock.ts';
import { isExpired, readLease } from './lease-row.ts';
import type { PoolFile } from './pool-file.ts';

/** X6: lets blocks pass under the live lease only. Asked inside the transaction that would apply them. */
export class Fence {
  readonly #file: PoolFile;
  readonly #clock: LeaseClock;
  readonly #options: Pick<DriverOptions, 'election' | 'fenced'>;

  constructor(file: PoolFile, clock: LeaseClock, options: Pick<DriverOptions, 'election' | 'fenced'>) {
    this.#file = file;
    this.#clock = clock;
    this.#options = options;
  }

  /** What passes under a lease shows that its holder lives, and begins the lease's time anew, before anything else is written. */
  admits(given: Lease | null): boolean {
    const { election, fenced } = this.#options;
    const { lease } = readLease(this.#file, election);
    const held = lease !== null && !isExpired(lease, this.#clock) ? lease : null;
    if (isFenced(held, given, fenced)) return false;
    if (given !== null) this.#file.run('extendLease', this.#clock.nowMs(), this.#clock.id, election);
    return true;
  }
}
