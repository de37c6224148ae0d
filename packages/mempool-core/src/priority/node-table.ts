import type { Entry } from '../contract/pool-entry.ts';
import type { KnownStage } from '../contract/transaction.ts';
import { noSlot, type Slots } from '../memory/slots.ts';
import { newNode, type PoolNode } from './pool-node.ts';

/** The transactions of an index by the slots of their hashes. */
export class NodeTable {
  readonly #slots: Slots;
  readonly #nodes: (PoolNode | undefined)[] = [];
  /** 1 for an evicted transaction that is in no index since. */
  #idle: Uint8Array = new Uint8Array(1_024);

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  find(hash: string): PoolNode | undefined {
    const slot = this.#slots.find(hash);
    return slot === noSlot ? undefined : this.#nodes[slot];
  }

  at(slot: number): PoolNode | undefined {
    return this.#nodes[slot];
  }

  *all(): Generator<PoolNode, undefined> {
    for (const slot of this.#slots.all()) {
      const node = this.#nodes[slot];
      if (node !== undefined) yield node;
    }
  }

  /** Adds a transaction. `held` is a slot that the caller holds for its hash; else the table holds one. */
  add(entry: Entry, stage: KnownStage, held: number): PoolNode {
    const slot = held === noSlot ? this.#slots.hold(entry.hash) : held;
    const node = newNode(entry, stage, slot);
    // An array with a large gap would become a hash table.
    while (this.#nodes.length < slot) this.#nodes.push(undefined);
    this.#nodes[slot] = node;
    if (slot >= this.#idle.length) this.#growIdle(slot);
    return node;
  }

  /** Frees the slot. */
  free(slot: number): void {
    this.#idle[slot] = 0;
    this.#nodes[slot] = undefined;
    this.#slots.release(slot);
  }

  /** True if `idle` was called for the slot, and then `awake` was not. */
  isIdle(slot: number): boolean {
    return this.#idle[slot] === 1;
  }

  idle(slot: number): void {
    this.#idle[slot] = 1;
  }

  awake(slot: number): void {
    this.#idle[slot] = 0;
  }

  #growIdle(slot: number): void {
    const larger = new Uint8Array(2 * slot);
    larger.set(this.#idle);
    this.#idle = larger;
  }
}
