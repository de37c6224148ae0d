import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Block, ChainCursor, ChainPoint, ChainSource, SourceStep } from 'mempool-core';

/** A chain of so many blocks, at whose end everybody waits. */
export class SteadyChain implements ChainSource {
  readonly blocks: readonly Block[];

  constructor(length: number) {
    const point = (slot: number): ChainPoint => ({ slot, hash: createHash('sha256').update(`${slot}`).digest('hex') });
    this.blocks = Array.from({ length }, (_, i) => ({
      point: point(i + 1),
      parent: i === 0 ? undefined : point(i).hash,
      seen: [],
      unseen: [],
    }));
  }

  async intersect(
    points: readonly ChainPoint[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ChainCursor | null> {
    const hashes = this.blocks.map(({ point }) => point.hash);
    const point = points.find(({ hash }) => hashes.includes(hash)) ?? null;
    if (point === null && points.length > 0) return null;
    return { point, steps: this.#steps(point === null ? 0 : hashes.indexOf(point.hash) + 1, signal) };
  }

  async *#steps(from: number, signal: AbortSignal): AsyncGenerator<SourceStep> {
    for (const block of this.blocks.slice(from)) yield { kind: 'apply', block };
    if (!signal.aborted) await once(signal, 'abort');
  }
}
