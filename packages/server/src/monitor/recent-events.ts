import type { BlockEvent, Delivered, MempoolEvent, TransactionEvent } from 'mempool-core';

/** A transaction changed its stage. */
export type Transition = TransactionEvent & Delivered;

/** A block was applied or undone. */
export interface BlockChange extends Omit<BlockEvent & Delivered, 'kind'> {
  /** How many transactions of the pool became Confirmed with it; 0 if it was undone. */
  readonly confirmed: number;
}

const transitionsLength = 1_000;
const blocksLength = 200;

/** The last transitions and blocks, in memory. */
export class RecentEvents {
  #transitions: Transition[] = [];
  #blocks: (BlockChange & { confirmed: number })[] = [];

  add(event: MempoolEvent): void {
    if (event.kind === 'block') {
      const { kind: _, ...block } = event;
      this.#blocks = [...this.#blocks.slice(1 - blocksLength), { ...block, confirmed: 0 }];
    }
    if (event.kind !== 'transaction') return;
    this.#transitions.push(event);
    if (this.#transitions.length >= 2 * transitionsLength) this.#transitions.splice(0, transitionsLength);
    this.#count(event);
  }

  clear(): void {
    this.#transitions = [];
    this.#blocks = [];
  }

  /** Returns the last transitions, newest first. */
  transitions(limit = 100): Transition[] {
    return this.#transitions.slice(-Math.min(limit, transitionsLength)).reverse();
  }

  /** Returns the last blocks, newest first. */
  blocks(limit = 50): BlockChange[] {
    const blocks = this.#blocks.slice(-limit).reverse();
    return blocks.map((block) => ({ ...block }));
  }

  /** The transactions of a block come right after it. */
  #count({ stage, cause, point }: TransactionEvent): void {
    const block = this.#blocks.at(-1);
    if (block === undefined || cause !== 'seen' || stage !== 'Confirmed' || block.point.hash !== point?.hash) return;
    block.confirmed += 1;
  }
}
