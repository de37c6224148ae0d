import * as core from 'mempool-core/backend';
import type { PoolFile } from '../pool/pool-file.ts';
import { decodeState } from '../pool/records.ts';
import type { PriorityChanges } from './changes.ts';
import { decodeHead } from './format.ts';
import { loadPool } from './loader.ts';

/**
 * A priority pool without its payloads, as this process knows it: always a state that the file has had, whatever becomes of
 * the transaction on the file inside which it is asked.
 */
export class PriorityMirror {
  readonly #file: PoolFile;
  /** `null`: no other process can write. */
  readonly #changes: PriorityChanges | null;
  #pool: core.PriorityPool | null = null;
  #version = 0;

  constructor(file: PoolFile, changes: PriorityChanges | null) {
    this.#file = file;
    this.#changes = changes;
  }

  /** The pool as the file has it now. */
  current(): core.PriorityPool {
    const version = Number(this.#file.row('version')?.version);
    if (this.#pool !== null && (version === this.#version || this.#catchUp(this.#pool, version))) return this.#pool;
    this.#pool = loadedPool(this.#file);
    this.#version = version;
    return this.#pool;
  }

  seqOf(hash: string): number | undefined {
    return this.#pool?.view.life(hash)?.seq;
  }

  /**
   * Plans a call, has it kept in the file, and takes it over. `keep` commits it, which makes the pool the version it is given;
   * where it throws nothing has happened. `null`: there was nothing to keep.
   */
  commit<T>(
    plan: (pool: core.Planning) => core.Step<T>,
    keep: (step: core.Step<T>, version: number) => core.Step<T> | null,
  ): T {
    const pool = this.current();
    let isKept = false;
    try {
      return pool.commit(plan, (step) => {
        const version = core.changesPool(step) ? this.#version + 1 : this.#version;
        const kept = keep(step, version);
        if (kept === null) return step;
        isKept = true;
        this.#version = version;
        return bare(kept);
      });
    } catch (error) {
      // Kept, but not taken over to the end: worth nothing.
      if (isKept) this.#pool = null;
      throw error;
    }
  }

  #catchUp(pool: core.PriorityPool, version: number): boolean {
    const changes = this.#changes?.between(this.#version, version) ?? null;
    if (changes === null) return false;
    // Not kept where it does not come to its end: then a change was damaged into another one.
    this.#pool = null;
    try {
      for (const change of changes) pool.apply(change);
    } catch {
      return false;
    }
    this.#pool = pool;
    this.#version = version;
    return true;
  }
}

const noBytes = new Uint8Array();

/** Without payloads, and without what the file alone keeps. */
function bare<T>(step: core.Step<T>): core.Step<T> {
  const writes = step.writes.map((write) =>
    write.body === null ? write : { ...write, body: { ...write.body, payload: noBytes } },
  );
  return { ...step, writes, operation: null };
}

/** As the file has it, inside a transaction. Events are read from the file alone. */
export function loadedPool(file: PoolFile): core.PriorityPool {
  const state = decodeState(file.row('pool'));
  const { limits, lastGossipSeq } = decodeHead(file.row('priorityPool'));
  const { epoch, maxFinalized, maxRollback } = state;
  const pool = new core.PriorityPool({ epoch, retention: { maxFinalized, maxEvents: 1, maxRollback }, limits });
  for (const record of loadPool(file, state)) pool.restore(record);
  pool.restore({ kind: 'gossip', lastGossipSeq });
  pool.restored();
  return pool;
}
