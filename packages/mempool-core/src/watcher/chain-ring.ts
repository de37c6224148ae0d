import type { Block } from '../contract/store.ts';
import { type ChainPoint, samePoint } from '../contract/transaction.ts';

/** A number of points above any that a pool keeps. With it, `tip` returns every point that the pool can roll back to. */
export const everyPoint: number = 2 ** 31 - 1;

/** A block in the ring. */
export interface RingBlock {
  readonly point: ChainPoint;
  /** The content of the block; `null` if only its point is kept. */
  block: Block | null;
}

/** The last blocks of a chain, and the base: the point below the oldest of these blocks. */
export class ChainRing {
  /** The point before the first block of the whole chain: `null`, or the point where the source begins. */
  readonly beginning: ChainPoint | null;
  readonly #size: number;
  /** The point below the oldest block kept; `null`: the chain begins here. */
  #base: ChainPoint | null;
  #blocks: RingBlock[] = [];
  /** The number of blocks that have left at the front. The positions of the others do not change. */
  #left = 0;
  /** Every block before this position is bare: its content is no longer kept. */
  #bare = 0;
  readonly #places = new Map<string, number>();

  constructor(size: number, base: ChainPoint | null, beginning: ChainPoint | null = null) {
    this.#size = size;
    this.beginning = beginning;
    this.#base = base;
    if (base !== null) this.#places.set(key(base), -1);
  }

  /** Makes a ring of points without content, given newest first. It has room for at least all of them. */
  static of(size: number, points: readonly ChainPoint[]): ChainRing {
    const ring = new ChainRing(Math.max(size, points.length), points.at(-1) ?? null);
    for (const point of points.slice(0, -1).reverse()) ring.push(point, null);
    return ring;
  }

  /** The newest point; `null` if the chain is empty. */
  get end(): ChainPoint | null {
    return this.#blocks.at(-1)?.point ?? this.#base;
  }

  /** The base: the point below the oldest block kept. */
  get oldest(): ChainPoint | null {
    return this.#base;
  }

  /** True if older points have left because the ring was full. */
  get isShort(): boolean {
    return this.#left > 0;
  }

  has(point: ChainPoint): boolean {
    return this.#places.has(key(point));
  }

  /** Iterates over all points, newest first. The last one is the base. */
  *points(): Generator<ChainPoint | null, undefined> {
    for (let i = this.#blocks.length - 1; i >= 0; i--) yield (this.#blocks[i] as RingBlock).point;
    yield this.#base;
  }

  /** Returns the blocks after a point of the ring. */
  above(point: ChainPoint | null): readonly RingBlock[] {
    return this.#blocks.slice(this.#place(point) + 1 - this.#left);
  }

  push(point: ChainPoint, block: Block | null): void {
    this.#places.set(key(point), this.#left + this.#blocks.length);
    this.#blocks.push({ point, block });
    if (this.#blocks.length > this.#size) this.#shift();
  }

  /** Removes the blocks after this point. If the ring does not have the point, the ring becomes empty with this base. */
  cut(point: ChainPoint | null): void {
    if (point !== null && !this.has(point)) this.#rebase(point);
    else if (point === null && this.#base !== null) this.#rebase(null);
    const length = this.#place(point) + 1 - this.#left;
    for (const gone of this.#blocks.splice(length)) this.#places.delete(key(gone.point));
    this.#bare = Math.min(this.#bare, this.#left + length);
  }

  /** Drops the content of the blocks up to this point. Their points stay. */
  strip(point: ChainPoint): void {
    const place = this.#places.get(key(point)) ?? -1;
    for (; this.#bare <= place; this.#bare++) {
      const block = this.#blocks[this.#bare - this.#left];
      if (block !== undefined) block.block = null;
    }
  }

  #place(point: ChainPoint | null): number {
    return (point === null ? undefined : this.#places.get(key(point))) ?? this.#left - 1;
  }

  #rebase(base: ChainPoint | null): void {
    this.#blocks = [];
    this.#places.clear();
    this.#base = base;
    if (base !== null) this.#places.set(key(base), this.#left - 1);
  }

  #shift(): void {
    if (this.#base !== null) this.#places.delete(key(this.#base));
    this.#base = (this.#blocks.shift() as RingBlock).point;
    this.#left += 1;
    this.#bare = Math.max(this.#bare, this.#left);
  }
}

/** True if two chains end at the same point. */
export function sameEnd(a: ChainPoint | null, b: ChainPoint | null): boolean {
  return a === null || b === null ? a === b : samePoint(a, b);
}

function key({ slot, hash }: ChainPoint): string {
  return `${slot}:${hash}`;
}
