import * as core from 'mempool-core/backend';
import type { PoolFile } from '../pool/pool-file.ts';

/** How far a process may be behind before it has to read the whole pool again. */
const maxChanges = 1_000;
const maxChangesBytes = 8 * 1024 * 1024;

/** What each call changed, in the file, for the other processes that have it open. */
export class PriorityChanges {
  readonly #file: PoolFile;

  constructor(file: PoolFile) {
    this.#file = file;
  }

  /** Of the call that makes the pool that version; its entries as they are stored. */
  add(version: number, change: core.PoolChange, entries: readonly Uint8Array[]): void {
    const record = core.encodeChange(change, entries);
    const total = Number(this.#file.row('changeTotal')?.total ?? 0) + record.length;
    this.#file.run('putChange', version, total, record);
    while (this.#file.run('trimChange', version - maxChanges, total - maxChangesBytes).changes > 0);
  }

  /** What leads from one version to another; `null` where some of it is not kept or cannot be read. */
  between(from: number, to: number): core.PoolChange[] | null {
    const changes: core.PoolChange[] = [];
    for (const { version, record } of this.#file.rows('changes', from)) {
      const change = version === from + changes.length + 1 ? read(record) : null;
      if (change === null) return null;
      changes.push(change);
    }
    return changes.length === to - from ? changes : null;
  }
}

/** M2: whatever is wrong with it, the pool itself tells the same. */
function read(record: unknown): core.PoolChange | null {
  try {
    return core.decodeChange(record as Uint8Array);
  } catch {
    return null;
  }
}
