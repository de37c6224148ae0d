import * as core from 'mempool-core/backend';
import { type LoadedFile, loadPool } from '../pool/loader.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { decodeState } from '../pool/records.ts';
import type { PriorityChanges } from './changes.ts';
import { decodeHead } from './format.ts';

/** This process's mirror of the pool in a file. Its methods are called inside a transaction on the file. */
export class FileMirror {
  readonly #file: PoolFile;
  /** `null`: no other process can write. */
  readonly #changes: PriorityChanges | null;
  #mirror: core.MirroredPool | null = null;

  constructor(file: PoolFile, changes: PriorityChanges | null) {
    this.#file = file;
    this.#changes = changes;
  }

  /** Returns the mirror, updated from the file. */
  current(): core.MirroredPool {
    const version = Number(this.#file.row('version')?.version);
    if (this.#mirror === null || !this.#catchUp(this.#mirror, version)) this.#mirror = loadMirror(this.#file);
    return this.#mirror;
  }

  seqOf(hash: string): number | undefined {
    return this.#mirror?.pool.view.txState(hash)?.seq;
  }

  /** False when the pool has to be loaded again. A damaged change does no harm then: the pool itself has the same information. */
  #catchUp(mirror: core.MirroredPool, version: number): boolean {
    const { position, isBroken } = mirror;
    if (isBroken) return false;
    if (version === position.version) return true;
    const records = this.#changes?.between(position.version, version) ?? null;
    if (records === null) return false;
    try {
      mirror.follow(position, records, position.stamp);
      return true;
    } catch {
      return false;
    }
  }
}

/** Loads the pool from the file, inside a transaction. `through` reports damaged records. */
export function loadMirror(file: PoolFile, through: LoadedFile = file): core.MirroredPool {
  file.include('pool/load-statements.sql');
  const state = decodeState(file.row('pool'));
  const { limits, lastGossipSeq, version } = decodeHead(file.row('priorityPool'));
  const { epoch, maxFinalized, maxRollback } = state;
  return new core.MirroredPool({
    position: { epoch, version, stamp: '' },
    retention: { maxFinalized, maxRollback },
    limits,
    records: loadPool(through, state, lastGossipSeq),
  });
}
