import type { ChainCursor, ChainPoint, ChainSource, SourceStep } from 'mempool-core';

type Apply = Extract<SourceStep, { readonly kind: 'apply' }>;

/** A chain that grows by what it is fed: the end of a pipe to the test. */
export class FedChain implements ChainSource {
  #blocks: Apply[] = [];
  readonly #followers = new Set<Follower>();

  feed(step: SourceStep): void {
    if (step.kind === 'apply') this.#blocks.push(step);
    else this.#blocks = this.#upTo(step.point) ?? [];
    for (const follower of this.#followers) follower.take(step);
  }

  async intersect(
    points: readonly ChainPoint[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ChainCursor | null> {
    signal.throwIfAborted();
    const point = points.find(({ hash }) => this.#blocks.some(({ block }) => block.point.hash === hash)) ?? null;
    if (point === null && points.length > 0) return null;
    const known = this.#upTo(point)?.length ?? 0;
    const follower = new Follower(this.#blocks.slice(known), signal);
    this.#followers.add(follower);
    return { point, steps: follower.steps() };
  }

  /** The chain from its first block to this one. */
  #upTo(point: ChainPoint | null): Apply[] | null {
    const at = this.#blocks.findIndex(({ block }) => block.point.hash === point?.hash);
    return at < 0 ? null : this.#blocks.slice(0, at + 1);
  }
}

class Follower {
  readonly #waiting: SourceStep[];
  readonly #signal: AbortSignal;
  #wake = (): void => {};

  constructor(known: readonly SourceStep[], signal: AbortSignal) {
    this.#waiting = [...known];
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
