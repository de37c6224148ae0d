import * as core from 'mempool-core/backend';
import type { PoolFile } from '../pool/pool-file.ts';

/** A process that is further behind has to load the whole pool again. */
const maxChanges = 1_000;
const maxChangesBytes = 8 * 1024 * 1024;

/** The changes of the latest calls, stored in the file for the mirrors of other processes. */
export class PriorityChanges {
  readonly #file: PoolFile;

  constructor(file: PoolFile) {
    this.#file = file;
  }

  /** Stores the change that leads to this version. `entries` are the encoded entries of the change. */
  add(version: number, change: core.PoolChange, entries: readonly Uint8Array[]): void {
    const record = core.encodeChange(change, entries);
    const total = Number(this.#file.row('changeTotal')?.total ?? 0) + record.length;
    this.#file.run('putChange', version, total, record);
    while (this.#file.run('trimChange', version - maxChanges, total - maxChangesBytes).changes > 0);
  }

  /** Reads the records of the changes after a version, in their order, as far as none is missing. */
  *after(version: number): Generator<Uint8Array, undefined> {
    let expected = version;
    for (const { version: found, record } of this.#file.rows('changes', version)) {
      expected += 1;
      if (found !== expected || !(record instanceof Uint8Array)) return;
      yield record;
    }
  }
}
