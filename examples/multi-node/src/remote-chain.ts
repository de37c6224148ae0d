/** The chain as a node sees it: the parent process has it and tells each block as it is released. */
import type { ChainCursor, ChainPoint, ChainSource, SourceStep } from 'mempool-core';
import type { FromNode, ToNode } from './node-message.ts';

type Found = Extract<ToNode, { readonly kind: 'found' }>;

interface Search {
  readonly found: (answer: Found) => void;
  readonly steps: SourceStep[];
  wake: () => void;
}

export class RemoteChain implements ChainSource {
  readonly #tell: (message: FromNode) => void;
  readonly #searches = new Map<number, Search>();
  #count = 0;

  constructor(tell: (message: FromNode) => void) {
    this.#tell = tell;
  }

  async intersect(
    points: readonly ChainPoint[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ChainCursor | null> {
    signal.throwIfAborted();
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    const search: Search = { found: resolve, steps: [], wake: () => {} };
    this.#searches.set(id, search);
    const end = () => {
      this.#leave(id);
      search.wake();
      reject(signal.reason);
    };
    signal.addEventListener('abort', end, { once: true });
    this.#tell({ kind: 'intersect', search: id, points });
    const { point, isKnown } = await promise;
    return isKnown ? { point, steps: this.#follow(id, search, signal) } : null;
  }

  found(answer: Found): void {
    this.#searches.get(answer.search)?.found(answer);
  }

  step(id: number, step: SourceStep): void {
    const search = this.#searches.get(id);
    search?.steps.push(step);
    search?.wake();
  }

  async *#follow(id: number, search: Search, signal: AbortSignal): AsyncGenerator<SourceStep> {
    try {
      while (!signal.aborted) {
        const step = search.steps.shift();
        if (step === undefined) await new Promise<void>((resolve) => (search.wake = resolve));
        else yield step;
      }
    } finally {
      this.#leave(id);
    }
  }

  #leave(id: number): void {
    if (this.#searches.delete(id)) this.#tell({ kind: 'left', search: id });
  }
}
