import type { Block } from '../contract/store.ts';
import { type ChainPoint, samePoint } from '../contract/transaction.ts';

/** More than any pool keeps: what it can go back to is what a chain is compared with. */
export const everyPoint: number = 2 ** 31 - 1;

/** A block of a chain as far as it is kept. */
export interface RingBlock {
  readonly point: ChainPoint;
  /** `null`: what it carries is no longer kept. */
  block: Block | null;
}

/** The last blocks of a chain, and the point that they stand on. */
export class ChainRing {
  /** What the first block of all stands on: `null`, or where the source begins. */
  readonly beginning: ChainPoint | null;
  readonly #size: number;
  /** `null`: the chain begins here. */
  #base: ChainPoint | null;
  #blocks: RingBlock[] = [];
  /** How many have left at the front: the places of the others stay. */
  #left = 0;
  /** Every block before this place is bare. */
  #bare = 0;
  readonly #places = new Map<string, number>();

  constructor(size: number, base: ChainPoint | null, beginning: ChainPoint | null = null) {
    this.#size = size;
    this.beginning = beginning;
    this.#base = base;
    if (base !== null) this.#places.set(key(base), -1);
  }

  /** A ring of points alone, given newest first, with room for all of them. */
  static of(size: number, points: readonly ChainPoint[]): ChainRing {
    const ring = new ChainRing(Math.max(size, points.length), points.at(-1) ?? null);
    for (const point of points.slice(0, -1).reverse()) ring.push(point, null);
    return ring;
  }

  /** The newest point; `null`: nothing of the chain is left. */
  get end(): ChainPoint | null {
    return this.#blocks.at(-1)?.point ?? this.#base;
  }

  /** What it stands on. */
  get oldest(): ChainPoint | null {
    return this.#base;
  }

  /** Whether older points have left it for want of room. */
  get isShort(): boolean {
    return this.#left > 0;
  }

  has(point: ChainPoint): boolean {
    return this.#places.has(key(point));
  }

  /** Newest first; the last is the one that it stands on. */
  *points(): Generator<ChainPoint | null, undefined> {
    for (let i = this.#blocks.length - 1; i >= 0; i--) yield (this.#blocks[i] as RingBlock).point;
    yield this.#base;
  }

  /** The blocks above a point of it. */
  above(point: ChainPoint | null): readonly RingBlock[] {
    return this.#blocks.slice(this.#place(point) + 1 - this.#left);
  }

  push(point: ChainPoint, block: Block | null): void {
    this.#places.set(key(point), this.#left + this.#blocks.length);
    this.#blocks.push({ point, block });
    if (this.#blocks.length > this.#size) this.#shift();
  }

  /** Ends it at this point; one that it does not have becomes all that is left. */
  cut(point: ChainPoint | null): void {
    if (point !== null && !this.has(point)) this.#rebase(point);
    else if (point === null && this.#base !== null) this.#rebase(null);
    const length = this.#place(point) + 1 - this.#left;
    for (const gone of this.#blocks.splice(length)) this.#places.delete(key(gone.point));
    this.#bare = Math.min(this.#bare, this.#left + length);
  }

  /** Keeps no longer what the blocks up to this point carry; the points stay. */
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

/** Whether two chains end at the same place. */
export function sameEnd(a: ChainPoint | null, b: ChainPoint | null): boolean {
  return a === null || b === null ? a === b : samePoint(a, b);
}

function key({ slot, hash }: ChainPoint): string {
  return `${slot}:${hash}`;
}
