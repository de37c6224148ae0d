import type { CoupledPool } from './pool-options.ts';
import type { Place } from './position.ts';

/** The progress of the followers of a pool, stored in a record of the pool. */
export interface Progress extends Place {
  /** True if events before `event` were lost, and the open reservations have not been compared with the pool yet. */
  readonly isLossy: boolean;
}

/** Returns the first era of a pool, which lasts until events are lost. */
export function firstEra(epoch: string): string {
  return `${epoch}/0`;
}

interface Kept {
  readonly version: number;
  readonly progress: Progress;
}

/** Stores the progress in a record of the pool. It never goes back within an era, even if many processes save it. */
export class CursorRecord {
  readonly #pool: CoupledPool;
  readonly #name: string;

  constructor(pool: CoupledPool, name: string) {
    this.#pool = pool;
    this.#name = `ledger/${name}`;
  }

  async read(): Promise<Progress | null> {
    return (await this.#kept())?.progress ?? null;
  }

  /** Returns the era of the pool: that of the record, else the first. */
  async era(epoch: string): Promise<string> {
    return (await this.read())?.era ?? firstEra(epoch);
  }

  /** Saves progress in its era, unless another process has saved later progress. */
  async save(progress: Progress): Promise<void> {
    for (;;) {
      const kept = await this.#kept();
      if (kept !== null && kept.progress.era !== progress.era) return;
      if (kept !== null && kept.progress.event >= progress.event && kept.progress.isLossy === progress.isLossy) return;
      if (await this.#put(progress, kept?.version ?? 0)) return;
    }
  }

  /** Begins another era, unless another process did so since `before` was read. */
  async begin(progress: Progress, before: Progress | null): Promise<void> {
    const kept = await this.#kept();
    if ((kept?.progress.era ?? null) === (before?.era ?? null)) await this.#put(progress, kept?.version ?? 0);
  }

  async #put(progress: Progress, version: number): Promise<boolean> {
    const bytes = new TextEncoder().encode(JSON.stringify(progress));
    return (await this.#pool.putRecord(this.#name, bytes, { version })).kind === 'stored';
  }

  async #kept(): Promise<Kept | null> {
    const found = await this.#pool.getRecord(this.#name);
    return found === null
      ? null
      : { version: found.version, progress: JSON.parse(new TextDecoder().decode(found.value)) };
  }
}
