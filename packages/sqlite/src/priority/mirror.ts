import { MempoolError } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { type LoadedFile, loadPool } from '../pool/loader.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { decodeState } from '../pool/records.ts';
import type { PriorityChanges } from './changes.ts';
import { decodeHead } from './format.ts';

/** What a file needs so that other processes can write to it. */
export interface SharedFile {
  /** The stored changes for other processes. */
  readonly changes: PriorityChanges;
  /** Opens a further connection to the file, which only reads. */
  openReader(): PoolFile;
}

/** This process's mirror of the pool in a file. `current` and `seqOf` are called inside a transaction on the file. */
export class FileMirror {
  readonly #file: PoolFile;
  /** `null`: no other process can write. */
  readonly #shared: SharedFile | null;
  #mirror: core.MirroredPool | null = null;
  #filling: Promise<void> | null = null;
  #isClosed = false;

  constructor(file: PoolFile, shared: SharedFile | null) {
    this.#file = file;
    this.#shared = shared;
  }

  /** Returns the mirror, updated from the file; `null` if it has to be filled first. */
  current(): core.MirroredPool | null {
    const version = Number(this.#file.row('version')?.version);
    if (this.#mirror !== null && !this.#catchUp(this.#mirror, version)) this.#mirror = null;
    // Only damage makes it load again, and there is no second connection.
    if (this.#shared === null) this.#mirror ??= loadMirror(this.#file);
    return this.#mirror;
  }

  get isFilling(): boolean {
    return this.#filling !== null;
  }

  seqOf(hash: string): number | undefined {
    return this.#mirror?.pool.view.txState(hash)?.seq;
  }

  /**
   * Loads a new mirror from a snapshot of the file, in slices, so that the event loop is never blocked for long. All callers share one
   * load. Without a second connection, call it only before any other use of the file.
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
    if (this.#shared === null) {
      this.#mirror = await filledFrom(this.#file, this.#file, () => undefined);
      return;
    }
    const reader = this.#shared.openReader();
    try {
      // The file keeps fewer changes than others may write meanwhile.
      const meanwhile = new ChangesMeanwhile(this.#file, this.#shared.changes);
      const mirror = await filledFrom(reader, this.#file, (begun) => {
        if (this.#isClosed) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the store was closed meanwhile');
        meanwhile.read(begun);
      });
      meanwhile.applyTo(mirror);
      this.#mirror = mirror;
    } finally {
      reader.close();
    }
  }

  /** False when the pool has to be loaded again. A damaged change does no harm then: the pool itself has the same information. */
  #catchUp(mirror: core.MirroredPool, version: number): boolean {
    const { position, isBroken } = mirror;
    if (isBroken) return false;
    if (version === position.version) return true;
    const records = this.#shared?.changes.between(position.version, version) ?? null;
    if (records === null) return false;
    try {
      mirror.follow(position, records, position.stamp);
      return true;
    } catch {
      return false;
    }
  }
}

/** The changes since a snapshot. */
class ChangesMeanwhile {
  readonly #file: PoolFile;
  readonly #changes: PriorityChanges;
  #records: Uint8Array[] | null = [];

  constructor(file: PoolFile, changes: PriorityChanges) {
    this.#file = file;
    this.#changes = changes;
  }

  /** Reads the changes that came since the last read. */
  read(snapshot: core.PoolPosition): void {
    const known = this.#records;
    if (known === null) return;
    const more = this.#file.atomically('beginRead', () => {
      const version = Number(this.#file.row('version')?.version);
      return this.#changes.between(snapshot.version + known.length, version);
    });
    if (more === null) this.#records = null;
    else for (const record of more) known.push(record);
  }

  /** If a change is missing or damaged, the mirror does not get up to date, and is loaded again. */
  applyTo(mirror: core.MirroredPool): void {
    const { position } = mirror;
    try {
      if (this.#records !== null) mirror.follow(position, this.#records, position.stamp);
    } catch {
      // The mirror says itself whether it is broken.
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

/** Loads the pool from the file, inside a transaction. `through` reports damaged records. */
export function loadMirror(file: PoolFile, through: LoadedFile = file): core.MirroredPool {
  return core.MirroredPool.of(partsOf(file, through));
}

function partsOf(file: PoolFile, through: LoadedFile): core.MirroredPoolParts {
  file.include('pool/load-statements.sql');
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
