import * as core from 'mempool-core/backend';
import type { PoolFile } from '../pool/pool-file.ts';
import type { PoolState } from '../pool/records.ts';
import { StepWriter } from '../pool/step-writer.ts';
import type { PriorityChanges } from './changes.ts';
import type { MirrorHashIndex } from './mirror-hash-index.ts';

export interface PriorityWriterParts {
  readonly file: PoolFile;
  readonly hashes: MirrorHashIndex;
  readonly changes: PriorityChanges;
}

/** Writes a step of a priority pool inside one SQLite transaction, before the mirror applies it. */
export class PriorityWriter {
  readonly #parts: PriorityWriterParts;

  constructor(parts: PriorityWriterParts) {
    this.#parts = parts;
  }

  /** Writes the step. `state` is that of the file before the step, `version` that of the pool after it. */
  write(step: core.Step<unknown>, state: PoolState, version: number): void {
    const { file, hashes, changes } = this.#parts;
    // Before the log is trimmed: that also deletes the entries of transactions that leave the log.
    const entries = step.pool?.entries.map(core.encodeEntry) ?? [];
    if (step.pool) this.#writePool(step.pool, entries);
    new StepWriter(file, hashes, state).write(step);
    if (!core.changesPool(step)) return;
    changes.add(version, core.changeOfStep(step, state.lastEventSeq + step.events.length), entries);
    file.run('setVersion', version, step.pool.lastGossipSeq);
  }

  #writePool({ entries, satisfied, forgotten, limits }: core.PoolStep, records: readonly Uint8Array[]): void {
    const { file } = this.#parts;
    for (const [i, { seq }] of entries.entries()) file.run('putEntry', seq, records[i]);
    for (const tag of forgotten) file.run('forgetTag', tag);
    for (const [tag, tick] of satisfied) file.run('satisfy', tag, tick);
    if (limits !== null) file.run('setLimits', core.encodeLimits(limits));
  }
}
