import { isLive } from 'mempool-core';
import { decodeChange, type PoolChange, type PriorityPool } from 'mempool-core/backend';
import type { LogIndex } from './log-index.ts';

/** Which state of which pool: see lua/priority/changes.lua. */
export interface Mark {
  readonly epoch: string;
  readonly version: number;
  readonly stamp: string;
}

/** What a node knows of a priority pool without asking: all but the payloads, as of a version. */
export class Mirror {
  readonly pool: PriorityPool;
  readonly log: LogIndex;
  #mark: Mark;

  constructor(pool: PriorityPool, log: LogIndex, mark: Mark) {
    this.pool = pool;
    this.log = log;
    this.#mark = mark;
  }

  get mark(): Mark {
    return this.#mark;
  }

  /** Takes changes as the server keeps them. @throws `ERR_MEMPOOL_CORRUPT`, with nothing taken */
  followRecords(from: Mark, records: readonly Buffer[], stamp: string): void {
    const known = this.#known(from, records.length);
    if (known === null) return;
    const lacking = records.slice(known).map(decodeChange);
    this.follow({ ...from, version: from.version + known, stamp: this.#mark.stamp }, lacking, stamp);
  }

  /**
   * Takes the changes that lead on from one state. Those that it has by now are left out, as answers may cross; changes of another
   * way than its own are not for it.
   */
  follow(from: Mark, changes: readonly PoolChange[], stamp: string): void {
    const known = this.#known(from, changes.length);
    if (known === null) return;
    for (const change of changes.slice(known)) this.#apply(change);
    this.#mark = { epoch: from.epoch, version: from.version + changes.length, stamp };
  }

  /** How many of the changes it has; `null` where none is for it. */
  #known(from: Mark, count: number): number | null {
    const { epoch, version, stamp } = this.#mark;
    const known = version - from.version;
    if (epoch !== from.epoch || known < 0 || known >= count) return null;
    return known === 0 && stamp !== from.stamp ? null : known;
  }

  #apply(change: PoolChange): void {
    this.pool.apply(change);
    for (const { after } of change.writes) {
      if (isLive(after.stage)) this.log.revive(after.hash);
      else this.log.push(after.hash);
    }
    this.log.trim(this.pool.ledger.retention.maxFinalized);
  }
}
