import type { ElectionClock, Hint } from 'mempool-election';
import type { SqlFile } from '../file/sql-file.ts';
import type { LeaseFile } from './lease-file.ts';
import type { LeaseRow } from './lease-row.ts';

const pollMs = 25;

/** Sends hints to listeners. It polls whether the file has changed, and whether the holder of the lock has died. */
export class LeasePoll {
  readonly #file: SqlFile;
  readonly #leases: LeaseFile;
  readonly #clock: ElectionClock;
  readonly #listeners = new Set<(hint: Hint) => void>();
  #stop: (() => void) | null = null;
  #version: unknown = null;
  #row: LeaseRow | null = null;
  #left: string | null = null;

  constructor(file: SqlFile, leases: LeaseFile, clock: ElectionClock) {
    this.#file = file;
    this.#leases = leases;
    this.#clock = clock;
  }

  listen(listener: (hint: Hint) => void): () => void {
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    if (this.#stop === null) this.#begin();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.end();
    };
  }

  end(): void {
    this.#listeners.clear();
    this.#stop?.();
    this.#stop = null;
  }

  #begin(): void {
    this.#row = null;
    this.#version = null;
    this.#look();
    this.#again();
  }

  #again(): void {
    this.#stop = this.#clock.schedule(() => {
      const hint = this.#look();
      this.#again();
      if (hint !== null) for (const listener of this.#listeners) listener(hint);
    }, pollMs);
  }

  /** The change since the last look, if any. If the file cannot be read, the next verb gets the error. */
  #look(): Hint | null {
    try {
      return this.#change() ?? this.#crash();
    } catch {
      return null;
    }
  }

  #change(): Hint | null {
    const version = this.#file.row('dataVersion')?.data_version;
    if (version === this.#version) return null;
    const [before, row] = [this.#row, this.#leases.read()];
    this.#version = version;
    this.#row = row;
    if (before !== null && isUnmoved(before, row)) return null;
    return row.lease === null ? 'released' : 'acquired';
  }

  /** The death of the lock's holder, reported once for each holder. */
  #crash(): Hint | null {
    const lease = this.#row?.lease ?? null;
    if (lease === null || lease.token === this.#left || !this.#leases.isAbandoned(lease)) return null;
    this.#left = lease.token;
    return 'released';
  }
}

/** Compares the term too: a lease that came and went between two looks leaves only its term, and a node may wait for its end. */
function isUnmoved(before: LeaseRow, { term, lease }: LeaseRow): boolean {
  return before.term === term && before.lease?.token === lease?.token;
}
