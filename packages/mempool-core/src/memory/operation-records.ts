import { decodeOutcome } from '../codec/outcome-record.ts';
import { maxOperations } from '../contract/options.ts';
import type { OperationRecord } from '../rules/step.ts';

/** Recorded outcomes in two generations (X2). When the younger one is full, the older one is removed as a whole. */
export class OperationRecords {
  #young = new Map<string, Uint8Array>();
  #old = new Map<string, Uint8Array>();

  /** Returns the recorded outcome; `null` if there is none. @throws `ERR_MEMPOOL_INVALID` if another call used the id */
  find<Outcome>(verb: string, id: string, digest: Uint8Array | undefined): { readonly outcome: Outcome } | null {
    const record = this.#young.get(id) ?? this.#old.get(id);
    return record === undefined ? null : { outcome: decodeOutcome<Outcome>(verb, record, digest) };
  }

  add({ id, record }: OperationRecord): void {
    if (this.#young.size >= maxOperations) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, record);
  }

  /** All records, the oldest first. */
  *all(): Generator<OperationRecord, undefined> {
    for (const generation of [this.#old, this.#young]) for (const [id, record] of generation) yield { id, record };
  }
}
