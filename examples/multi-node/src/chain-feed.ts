/** The chain as it has been released so far, and the nodes that follow it. */
import type { Block, ChainPoint, SourceStep } from 'mempool-core';

export class ChainFeed {
  readonly #blocks: Block[] = [];
  readonly #followers = new Map<string, (step: SourceStep) => void>();

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get end(): ChainPoint | null {
    return this.#blocks.at(-1)?.point ?? null;
  }

  release(step: SourceStep): void {
    switch (step.kind) {
      case 'apply':
        this.#blocks.push(step.block);
        break;
      case 'undo':
        this.#blocks.length = this.#lengthAt(step.point) ?? 0;
        break;
    }
    for (const tell of this.#followers.values()) tell(step);
  }

  /** The first of the points that is on the chain; `undefined` where none is, `null` where none was asked for. */
  find(points: readonly ChainPoint[]): ChainPoint | null | undefined {
    return points.length === 0 ? null : points.find((point) => this.#lengthAt(point) !== null);
  }

  /** Tells every step behind the point: what there is, then what comes. */
  follow(name: string, point: ChainPoint | null, tell: (step: SourceStep) => void): void {
    for (const block of this.#blocks.slice(this.#lengthAt(point) ?? 0)) tell({ kind: 'apply', block });
    this.#followers.set(name, tell);
  }

  leave(name: string): void {
    this.#followers.delete(name);
  }

  leaveAll(prefix: string): void {
    for (const name of this.#followers.keys()) if (name.startsWith(prefix)) this.#followers.delete(name);
  }

  #lengthAt(point: ChainPoint | null): number | null {
    if (point === null) return 0;
    const index = this.#blocks.findLastIndex((block) => block.point.hash === point.hash);
    return index < 0 ? null : index + 1;
  }
}
