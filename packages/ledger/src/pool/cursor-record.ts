import type { CoupledPool } from './pool-options.ts';
import type { Place } from './position.ts';

/** Where the followers of a pool have got to: a record of the pool. */
export interface Progress extends Place {
  /** Events were lost before `event`: what is open has yet to be compared with the pool. */
  readonly isLossy: boolean;
}

/** The era of a pool from which nothing was lost. */
export function firstEra(epoch: string): string {
  return `${epoch}/0`;
}

interface Kept {
  readonly version: number;
  readonly progress: Progress;
}

/** Keeps progress in a record of the pool. It never goes back within an era, however many processes save it. */
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

  /** The era of the pool: that of the record, else the first. */
  async era(epoch: string): Promise<string> {
    return (await this.read())?.era ?? firstEra(epoch);
  }

  /** Saves progress in the era that it belongs to, unless others are further. */
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
