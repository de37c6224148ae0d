import { setImmediate as turn } from 'node:timers/promises';
import { MempoolError } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { readSql } from '../file/sql-text.ts';
import { type LoadedFile, loadPool } from '../pool/loader.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { decodeState } from '../pool/records.ts';
import type { PriorityChanges } from './changes.ts';
import { decodeHead } from './format.ts';

/** How long the event loop stands still while the mirror follows other processes. */
const momentMs = 5;
/** So many changes are left for the time under the write lock. To follow them before would give the lock to whoever had it last. */
const mostLeft = 4;

/** This process's mirror of the pool in a file. `current` and `seqOf` are called inside a transaction on the file. */
export class FileMirror {
  readonly #file: PoolFile;
  readonly #changes: PriorityChanges;
  readonly #openReader: () => PoolFile;
  #mirror: core.MirroredPool | null = null;
  #filling: Promise<void> | null = null;
  #isClosed = false;

  /** `openReader` opens a further connection to the file, which only reads. */
  constructor(file: PoolFile, changes: PriorityChanges, openReader: () => PoolFile) {
    this.#file = file;
    this.#changes = changes;
    this.#openReader = openReader;
  }

  /** Returns the mirror, updated from the file; `null` if that takes longer than a moment, and is left to `fill`. */
  current(): core.MirroredPool | null {
    return this.#updated(momentMs);
  }

  /** As `current`, under the write lock: nobody else can change the pool, so the mirror follows to the end. */
  latest(): core.MirroredPool | null {
    return this.#updated(Number.POSITIVE_INFINITY);
  }

  /** Whether so little is missing that the write lock may be taken. */
  get isNear(): boolean {
    const behind = this.#version() - (this.#mirror?.position.version ?? Number.NaN);
    return behind >= 0 && behind <= mostLeft;
  }

  get isFilling(): boolean {
    return this.#filling !== null;
  }

  seqOf(hash: string): number | undefined {
    return this.#mirror?.pool.view.txState(hash)?.seq;
  }

  /**
   * Updates the mirror, or loads a new one from a snapshot of the file, in slices, so that the event loop is never blocked for long. All
   * callers share one load.
   */
  fill(): Promise<void> {
    this.#filling ??= this.#fillOnce().finally(() => (this.#filling = null));
    return this.#filling;
  }

  /** Ends a load that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#filling?.catch(() => undefined);
  }

  async #fillOnce(): Promise<void> {
    // A caller may hold the write lock.
    await turn();
    this.#mirror ??= await this.#load();
    while (this.#file.atomically('beginRead', () => this.current() === null && !this.isNear && this.#mirror !== null)) {
      await turn();
      this.#assertOpen();
    }
  }

  async #load(): Promise<core.MirroredPool> {
    const reader = this.#openReader();
    try {
      // The file keeps fewer changes than others may write meanwhile.
      const meanwhile = new ChangesMeanwhile(this.#file, this.#changes);
      const resume = (snapshot: core.PoolPosition) => {
        this.#assertOpen();
        meanwhile.read(snapshot);
      };
      const mirror = await filledFrom(reader, this.#file, resume);
      await core.inSlices(meanwhile.applyingTo(mirror), () => resume(mirror.position));
      return mirror;
    } finally {
      reader.close();
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the store was closed meanwhile');
  }

  #version(): number {
    return Number(this.#file.row('version')?.version);
  }

  #updated(forMs: number): core.MirroredPool | null {
    const version = this.#version();
    if (this.#mirror !== null && !this.#follow(this.#mirror, version, forMs)) this.#mirror = null;
    return this.#mirror?.position.version === version ? this.#mirror : null;
  }

  /** Follows other processes, for some time. False if a change is missing or damaged: the pool itself has the same information. */
  #follow(mirror: core.MirroredPool, version: number, forMs: number): boolean {
    if (mirror.isBroken) return false;
    if (version === mirror.position.version) return true;
    const end = performance.now() + forMs;
    for (const record of this.#changes.after(mirror.position.version)) {
      if (!isFollowed(mirror, record)) return false;
      if (performance.now() >= end) return true;
    }
    return version === mirror.position.version;
  }
}

function isFollowed(mirror: core.MirroredPool, record: Uint8Array): boolean {
  const { position } = mirror;
  try {
    mirror.follow(position, [record], position.stamp);
    return true;
  } catch {
    return false;
  }
}

/** The changes since a snapshot. */
class ChangesMeanwhile {
  readonly #file: PoolFile;
  readonly #changes: PriorityChanges;
  readonly #records: Uint8Array[] = [];
  #version: number | null = null;

  constructor(file: PoolFile, changes: PriorityChanges) {
    this.#file = file;
    this.#changes = changes;
  }

  /** Reads the changes since the last read, or since the snapshot. */
  read(snapshot: core.PoolPosition): void {
    const version = this.#version ?? snapshot.version;
    const more = this.#file.atomically('beginRead', () => [...this.#changes.after(version)]);
    this.#records.push(...more);
    this.#version = version + more.length;
  }

  /** Applies the changes, and yields after each. If one is missing or damaged, the mirror does not get up to date, and is loaded again. */
  *applyingTo(mirror: core.MirroredPool): Generator<undefined, undefined> {
    for (const record of this.#records) {
      if (!isFollowed(mirror, record)) return;
      yield;
    }
  }
}

/** Loads the pool over a connection that nobody else uses. `reporter` reports damaged records. */
async function filledFrom(
  reader: PoolFile,
  reporter: PoolFile,
  resume: (snapshot: core.PoolPosition) => void,
): Promise<core.MirroredPool> {
  reader.run('beginRead');
  try {
    const parts = partsOf(reader, {
      rows: (...query) => reader.rows(...query),
      reportDamage: (place) => reporter.reportDamage(place),
    });
    const { position } = parts;
    const work = core.MirroredPool.filling({ ...parts, late: new Map(), changes: [], end: position });
    return (await core.inSlices(work, () => resume(position))) as core.MirroredPool;
  } catch (error) {
    throw reader.errorOf(error);
  } finally {
    reader.run('rollback');
  }
}

function partsOf(file: PoolFile, through: LoadedFile): core.MirroredPoolParts {
  file.include(readSql('pool/load-statements.sql'));
  const state = decodeState(file.row('pool'));
  const { limits, lastGossipSeq, version } = decodeHead(file.row('priorityPool'));
  const { epoch, maxFinalized, maxRollback } = state;
  return {
    position: { epoch, version, stamp: '' },
    retention: { maxFinalized, maxRollback },
    limits,
    records: loadPool(through, state, lastGossipSeq),
  };
}
