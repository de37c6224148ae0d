import { EventEmitter, once } from 'node:events';
import type { Block, ChainCursor, ChainPoint, ChainSource, SourceStep } from 'mempool-core';

/** Blocks and steps that are kept: far more than a watcher asks for. */
const kept = 5_000;

/** A chain in memory that grows and forks, and that watchers can follow. */
export class DemoChain implements ChainSource {
  /** The block before the first one that this chain has; `null`: the first one is the first of all. */
  #base: ChainPoint | null = null;
  #begun = false;
  #blocks: Block[] = [];
  #steps: SourceStep[] = [];
  #forgotten = 0;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  /** The last block. */
  get tip(): ChainPoint | null {
    return this.#blocks.at(-1)?.point ?? this.#base;
  }

  /** Sets the block after which the chain continues: the tip of a pool that was used before. Only the first call has an effect. */
  begin(base: ChainPoint | null): void {
    if (!this.#begun) this.#base = base;
    this.#begun = true;
  }

  /** Adds a block on the tip. */
  extend(block: Omit<Block, 'parent'>): void {
    this.#begun = true;
    const whole = { ...block, parent: this.tip?.hash ?? null };
    this.#blocks.push(whole);
    if (this.#blocks.length > kept) this.#blocks.shift();
    this.#step({ kind: 'apply', block: whole });
  }

  /** Removes the last `count` blocks, or all if there are fewer, and returns them, oldest first. */
  undo(count: number): Block[] {
    const undone = this.#blocks.splice(Math.max(0, this.#blocks.length - count));
    if (undone.length > 0) this.#step({ kind: 'undo', point: this.tip });
    return undone;
  }

  intersect(points: readonly ChainPoint[], { signal }: { readonly signal: AbortSignal }): Promise<ChainCursor | null> {
    this.begin(points[0] ?? null);
    const known = points.length === 0 ? this.#base : this.#first(points);
    if (known === undefined) return Promise.resolve(null);
    const begin = this.#blocks.findIndex(({ point }) => point.hash === known?.hash) + 1;
    const present = this.#blocks.slice(begin).map((block): SourceStep => ({ kind: 'apply', block }));
    const end = this.#forgotten + this.#steps.length;
    return Promise.resolve({ point: known, steps: this.#follow(present, end, signal) });
  }

  /** `undefined`: none of them is on the chain. */
  #first(points: readonly ChainPoint[]): ChainPoint | undefined {
    const own = new Set(this.#blocks.map(({ point }) => point.hash));
    if (this.#base !== null) own.add(this.#base.hash);
    return points.find(({ hash }) => own.has(hash));
  }

  async *#follow(
    present: readonly SourceStep[],
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<SourceStep, undefined> {
    yield* present;
    for (let next = end; ; ) {
      if (next < this.#forgotten) throw new Error('the follower is too far behind the demo chain');
      const steps = this.#steps.slice(next - this.#forgotten);
      next += steps.length;
      yield* steps;
      if (steps.length === 0) await once(this.#changes, 'step', { signal });
    }
  }

  #step(step: SourceStep): void {
    this.#steps.push(step);
    if (this.#steps.length > kept) this.#forgotten += this.#steps.splice(0, 1).length;
    this.#changes.emit('step');
  }
}
