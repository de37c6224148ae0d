import type { Entry } from '../contract/pool-entry.ts';
import type { KnownStage } from '../contract/transaction.ts';
import { noSlot, type Slots } from '../memory/slots.ts';
import { newNode, type PoolNode } from './pool-node.ts';

const firstSlots = 1_024;

/** The transactions of an index by the slots of their hashes. */
export class NodeTable {
  readonly #slots: Slots;
  readonly #nodes: (PoolNode | undefined)[] = [];
  /** By slot: another number after each change of its transaction. */
  #stamps: Uint32Array = new Uint32Array(firstSlots);
  /** 1 for an evicted transaction that is in no index since. */
  #idle: Uint8Array = new Uint8Array(firstSlots);

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  find(hash: string): PoolNode | undefined {
    const slot = this.#slots.find(hash);
    return slot === noSlot ? undefined : this.#nodes[slot];
  }

  slotOf(hash: string): number {
    return this.#slots.find(hash);
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

  add(entry: Entry, stage: KnownStage): PoolNode {
    const slot = this.#slots.hold(entry.hash);
    const node = newNode(entry, stage, slot);
    // An array with a large gap would become a hash table.
    while (this.#nodes.length < slot) this.#nodes.push(undefined);
    this.#nodes[slot] = node;
    if (slot >= this.#idle.length) this.#grow(slot);
    return node;
  }

  stampOf(slot: number): number {
    return this.#stamps[slot] as number;
  }

  /** After 2^32 changes a slot has the same stamps again. By then no list has the first ones any more. */
  restamp(slot: number): void {
    this.#stamps[slot] = (this.#stamps[slot] as number) + 1;
  }

  /** Frees the slot, with a new stamp. */
  free(slot: number): void {
    this.restamp(slot);
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

  #grow(slot: number): void {
    const [idle, stamps] = [new Uint8Array(2 * slot), new Uint32Array(2 * slot)];
    idle.set(this.#idle);
    stamps.set(this.#stamps);
    this.#idle = idle;
    this.#stamps = stamps;
  }
}
