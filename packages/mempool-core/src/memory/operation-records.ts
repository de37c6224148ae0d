import { decodeOutcome } from '../codec/outcome-record.ts';
import { maxOperations } from '../contract/options.ts';
import type { OperationRecord } from '../rules/step.ts';

/** X2 in two generations: when the younger one is full, the older one goes as a whole. */
export class OperationRecords {
  #young = new Map<string, Uint8Array>();
  #old = new Map<string, Uint8Array>();

  /** @throws `ERR_MEMPOOL_INVALID` where the id was used for another verb */
  find<Outcome>(verb: string, id: string): { readonly outcome: Outcome } | null {
    const record = this.#young.get(id) ?? this.#old.get(id);
    return record === undefined ? null : { outcome: decodeOutcome<Outcome>(verb, record) };
  }

  add({ id, record }: OperationRecord): void {
    if (this.#young.size >= maxOperations) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, record);
  }

  /** Oldest first. */
  *all(): Generator<OperationRecord, undefined> {
    for (const generation of [this.#old, this.#young]) for (const [id, record] of generation) yield { id, record };
  }
}
