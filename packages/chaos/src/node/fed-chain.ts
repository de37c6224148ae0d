import type { Block, ChainCursor, ChainPoint, ChainSource, SourceStep } from 'mempool-core';

/** A chain that grows by the steps it is fed. */
export class FedChain implements ChainSource {
  #blocks: Block[] = [];
  readonly #followers = new Set<Follower>();

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get end(): ChainPoint | null {
    return this.#blocks.at(-1)?.point ?? null;
  }

  /** All of it, from its first block. */
  steps(): SourceStep[] {
    return this.#from(0);
  }

  feed(step: SourceStep): void {
    if (step.kind === 'apply') this.#blocks.push(step.block);
    else this.#blocks.length = this.#lengthAt(step.point);
    for (const follower of this.#followers) follower.take(step);
  }

  async intersect(
    points: readonly ChainPoint[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ChainCursor | null> {
    signal.throwIfAborted();
    const point = points.find((each) => this.#lengthAt(each) > 0) ?? null;
    if (point === null && points.length > 0) return null;
    const follower = new Follower(this.#from(this.#lengthAt(point)), signal);
    this.#followers.add(follower);
    signal.addEventListener('abort', () => this.#followers.delete(follower), { once: true });
    return { point, steps: follower.steps() };
  }

  #from(length: number): SourceStep[] {
    return this.#blocks.slice(length).map((block) => ({ kind: 'apply', block }));
  }

  /** How many blocks there are up to this one; 0 where it is not on the chain. */
  #lengthAt(point: ChainPoint | null): number {
    return this.#blocks.findLastIndex((block) => block.point.hash === point?.hash) + 1;
  }
}

class Follower {
  readonly #waiting: SourceStep[];
  readonly #signal: AbortSignal;
  #wake = (): void => {};

  constructor(missed: readonly SourceStep[], signal: AbortSignal) {
    this.#waiting = [...missed];
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  take(step: SourceStep): void {
    this.#waiting.push(step);
    this.#wake();
  }

  async *steps(): AsyncGenerator<SourceStep> {
    while (!this.#signal.aborted) {
      const step = this.#waiting.shift();
      if (step !== undefined) yield step;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
