import type { Block, ChainCursor, ChainPoint, ChainSource, SourceStep } from 'mempool-core';
import { hash } from '../mempool/tap.ts';

/** The block of that number on that branch; its parent is the block given, or the chain's first has none. */
export function blockOn(branch: number, number: number, parent: Block | null, ...seen: number[]): Block {
  const point = { slot: number, hash: hash(1_000_000 * (branch + 1) + number) };
  return { point, parent: parent?.point.hash ?? undefined, seen: seen.map(hash), unseen: [] };
}

/** As many blocks as a test takes names for. */
export type Branch = Block[] & { readonly [place in 0 | 1 | 2 | 3 | 4]: Block };

interface Reader {
  readonly steps: SourceStep[];
  wake: () => void;
  /** Why it ends, once it does. */
  end: { readonly error: Error | null } | null;
}

/** A chain that a test writes, and whoever follows it reads. */
export class ScriptedChain implements ChainSource {
  /** The points of every search, newest first. */
  readonly searches: (readonly ChainPoint[])[] = [];
  readonly #readers = new Set<Reader>();
  #blocks: Block[];
  /** Runs before each answer to a search; what it throws, the follower gets. */
  before: () => Promise<void> | void = () => undefined;

  constructor(...blocks: Block[]) {
    this.#blocks = blocks;
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get readers(): number {
    return this.#readers.size;
  }

  grow(...blocks: Block[]): void {
    for (const block of blocks) {
      this.#blocks.push(block);
      this.#tell({ kind: 'apply', block });
    }
  }

  /** Ends the chain at that block; `null`: nothing is left. */
  undo(to: Block | null): void {
    this.#blocks = to === null ? [] : this.#blocks.slice(0, this.#blocks.indexOf(to) + 1);
    this.#tell({ kind: 'undo', point: to?.point ?? null });
  }

  /** Ends the chain at that block without telling anybody. */
  forget(to: Block | null): void {
    this.#blocks = to === null ? [] : this.#blocks.slice(0, this.#blocks.indexOf(to) + 1);
  }

  /** Ends every reader, as a connection that breaks; without an error, as one that is closed. */
  cut(error: Error | null = null): void {
    for (const reader of this.#readers) {
      this.#readers.delete(reader);
      reader.end = { error };
      reader.wake();
    }
  }

  async intersect(
    points: readonly ChainPoint[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ChainCursor | null> {
    this.searches.push(points);
    await this.before();
    signal.throwIfAborted();
    const from = this.#find(points);
    if (from === undefined) return null;
    const steps = this.#blocks.slice(from + 1).map((block): SourceStep => ({ kind: 'apply', block }));
    const reader: Reader = { steps, wake: () => undefined, end: null };
    this.#readers.add(reader);
    signal.addEventListener('abort', () => {
      reader.end = { error: null };
      reader.wake();
    });
    return { point: this.#blocks[from]?.point ?? null, steps: this.#read(reader) };
  }

  /** The place of the first of these that is on the chain; −1 for the chain's beginning. */
  #find(points: readonly ChainPoint[]): number | undefined {
    if (points.length === 0) return -1;
    const places = points.map(({ hash }) => this.#blocks.findIndex(({ point }) => point.hash === hash));
    return places.find((place) => place >= 0);
  }

  async *#read(reader: Reader): AsyncGenerator<SourceStep> {
    try {
      for (;;) {
        for (let step = reader.steps.shift(); step !== undefined; step = reader.steps.shift()) yield step;
        if (reader.end?.error) throw reader.end.error;
        if (reader.end !== null) return;
        await new Promise<void>((resolve) => {
          reader.wake = resolve;
        });
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  #tell(step: SourceStep): void {
    for (const reader of this.#readers) {
      reader.steps.push(step);
      reader.wake();
    }
  }
}
