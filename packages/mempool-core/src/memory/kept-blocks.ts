import type { ChainPoint } from '../contract/transaction.ts';
import type { ChainStep } from '../rules/step.ts';

/** A block that a rollback can still undo or return to. */
export interface KeptBlock {
  readonly tick: number;
  readonly point: ChainPoint;
  /** The hashes that no earlier kept block carried (L13). */
  readonly sighted: readonly string[];
}

function key({ slot, hash }: ChainPoint): string {
  return `${slot}:${hash}`;
}

/** The kept blocks, from tick `floor` to `tick`. */
export class KeptBlocks {
  readonly #blocks = new Map<number, KeptBlock>();
  readonly #ticks = new Map<string, number>();
  readonly #inclusions = new Map<string, number>();
  tick = 0;
  floor = 1;

  at(tick: number): ChainPoint | null {
    return this.#blocks.get(tick)?.point ?? null;
  }

  tickOf(point: ChainPoint): number | null {
    return this.#ticks.get(key(point)) ?? null;
  }

  inclusion(hash: string): number | null {
    return this.#inclusions.size === 0 ? null : (this.#inclusions.get(hash) ?? null);
  }

  apply(step: ChainStep): void {
    if (step.kind === 'undone') {
      while (this.tick > step.tick) this.#forget(this.tick--);
      return;
    }
    const { tick, point, seen, unseen, floor } = step;
    // Old blocks go first: a hash that only an old block carried then counts as carried by this one (L13).
    while (this.floor < floor) this.#forget(this.floor++);
    this.add({ tick, point, sighted: seen.filter((hash) => !this.#inclusions.has(hash)) });
    for (const hash of unseen) this.#inclusions.delete(hash);
  }

  add(block: KeptBlock): void {
    this.#blocks.set(block.tick, block);
    this.#ticks.set(key(block.point), block.tick);
    for (const hash of block.sighted) this.#inclusions.set(hash, block.tick);
    this.tick = block.tick;
  }

  /** The kept blocks by tick, with the inclusions that still count. */
  *all(): Generator<KeptBlock, undefined> {
    for (const block of this.#blocks.values())
      yield { ...block, sighted: block.sighted.filter((hash) => this.inclusion(hash) === block.tick) };
  }

  #forget(tick: number): void {
    const block = this.#blocks.get(tick);
    if (block === undefined) return;
    this.#blocks.delete(tick);
    this.#ticks.delete(key(block.point));
    for (const hash of block.sighted) if (this.inclusion(hash) === tick) this.#inclusions.delete(hash);
  }
}
