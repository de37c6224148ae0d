/**
 * The tags that the chain satisfied, with the tick of the block, or that a completed transaction provides, with 0. A tag is
 * removed if its block is undone. It is also removed if no rollback can undo its block and no transaction needs it. This is
 * checked when the floor moves or the last of these transactions leaves.
 */
export class Satisfied {
  readonly #ticks = new Map<string, number>();
  readonly #byTick = new Map<number, Set<string>>();
  readonly #isNeeded: (tag: string) => boolean;
  /** Tags that may be idle. */
  readonly #free = new Set<string>();
  /** The first kept tick. No rollback undoes a block below it. */
  floor = 1;

  /** `isNeeded`: whether a transaction of the pool or of the log requires the tag, or a Finalized one of the log provides it. */
  constructor(isNeeded: (tag: string) => boolean) {
    this.#isNeeded = isNeeded;
  }

  has(tag: string): boolean {
    return this.#ticks.has(tag);
  }

  /** True if the tag is satisfied and not idle. Idle tags are ignored, because nodes may remove them at different times. */
  knows(tag: string): boolean {
    const tick = this.#ticks.get(tag);
    return tick !== undefined && (tick >= this.floor || this.#isNeeded(tag));
  }

  tick(tag: string): number | undefined {
    return this.#ticks.get(tag);
  }

  set(tag: string, tick: number): void {
    this.delete(tag);
    this.#ticks.set(tag, tick);
    const tags = this.#byTick.get(tick)?.add(tag);
    if (tags === undefined) this.#byTick.set(tick, new Set([tag]));
    if (tick < this.floor) this.#free.add(tag);
  }

  delete(tag: string): void {
    const tick = this.#ticks.get(tag);
    if (tick === undefined) return;
    this.#ticks.delete(tag);
    // A mirror that only applies changes never asks for its idle tags.
    this.#free.delete(tag);
    const tags = this.#byTick.get(tick);
    if (tags?.delete(tag) === true && tags.size === 0) this.#byTick.delete(tick);
  }

  /** Takes back what changed since these were the floor and the ticks of these tags; `undefined`: not satisfied. */
  reset(floor: number, ticks: ReadonlyMap<string, number | undefined>): void {
    this.floor = floor;
    for (const [tag, tick] of ticks) {
      if (tick === undefined) this.delete(tag);
      else this.set(tag, tick);
    }
  }

  /** Records that the last transaction that required or provided the tag has left. */
  noteFree(tag: string): void {
    if (this.#ticks.has(tag)) this.#free.add(tag);
  }

  moveFloor(floor: number): void {
    for (; this.floor < floor; this.floor++) for (const tag of this.#byTick.get(this.floor) ?? []) this.#free.add(tag);
  }

  /** The tags that blocks after this tick satisfied. */
  after(tick: number): string[] {
    return [...this.#byTick].flatMap(([at, tags]) => (at > tick ? [...tags] : []));
  }

  /** Returns the idle tags, which no rollback and no transaction can need. */
  idle(): string[] {
    const idle: string[] = [];
    for (const tag of this.#free) {
      const tick = this.#ticks.get(tag);
      if (tick === undefined || tick >= this.floor || this.#isNeeded(tag)) this.#free.delete(tag);
      else idle.push(tag);
    }
    return idle;
  }

  /** All tags except idle ones, in no particular order. */
  entries(): [tag: string, tick: number][] {
    const idle = new Set(this.idle());
    return [...this.#ticks].filter(([tag]) => !idle.has(tag));
  }
}
