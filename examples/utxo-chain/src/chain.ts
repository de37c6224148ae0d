import { createHash } from 'node:crypto';
import type { ChainPoint } from 'mempool-core';
import type { OutputState, Spending } from './spending.ts';

interface AppliedBlock {
  readonly point: ChainPoint;
  readonly spendings: readonly Spending[];
}

/** The state that the application validates against: the unspent outputs, and the changes of each block, to undo them. */
export class Chain {
  readonly #states: Map<string, OutputState>;
  readonly #blocks: AppliedBlock[] = [];

  constructor(outputs: readonly string[]) {
    this.#states = new Map(outputs.map((output) => [output, 'unspent']));
  }

  get tip(): ChainPoint | null {
    return this.#blocks.at(-1)?.point ?? null;
  }

  stateOf(outpoint: string): OutputState {
    return this.#states.get(outpoint) ?? 'unknown';
  }

  /** Adds a block of these spendings. Returns its point. */
  grow(spendings: readonly Spending[]): ChainPoint {
    for (const { inputs, outputs } of spendings) {
      for (const input of inputs) this.#states.set(input, 'spent');
      for (const output of outputs) this.#states.set(output, 'unspent');
    }
    const slot = (this.tip?.slot ?? 0) + 1;
    const point = { slot, hash: createHash('sha256').update(`block ${slot}`).digest('hex') };
    this.#blocks.push({ point, spendings });
    return point;
  }

  /** Undoes the last block. Returns the point before it. */
  shrink(): ChainPoint | null {
    for (const { inputs, outputs } of this.#blocks.pop()?.spendings.toReversed() ?? []) {
      for (const output of outputs) this.#states.delete(output);
      for (const input of inputs) this.#states.set(input, 'unspent');
    }
    return this.tip;
  }
}
