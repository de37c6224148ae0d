/**
 * Tags that the chain has satisfied, with the tick of the block. One goes with its block's undoing; or when no rollback reaches
 * its block any more and nobody requires it, which is noticed when the floor moves or its last dependent leaves.
 */
export class Satisfied {
  readonly #ticks = new Map<string, number>();
  readonly #byTick = new Map<number, Set<string>>();
  readonly #isRequired: (tag: string) => boolean;
  /** May have to go. */
  readonly #free = new Set<string>();
  /** The first tick that a rollback leaves. */
  floor = 0;

  constructor(isRequired: (tag: string) => boolean) {
    this.#isRequired = isRequired;
  }

  has(tag: string): boolean {
    return this.#ticks.has(tag);
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
    // Nobody asks for the idle ones of a mirror that only follows.
    this.#free.delete(tag);
    const tags = this.#byTick.get(tick);
    if (tags?.delete(tag) === true && tags.size === 0) this.#byTick.delete(tick);
  }

  /** The last that required it has left. */
  noteFree(tag: string): void {
    if (this.#ticks.has(tag)) this.#free.add(tag);
  }

  moveFloor(floor: number): void {
    for (; this.floor < floor; this.floor++) for (const tag of this.#byTick.get(this.floor) ?? []) this.#free.add(tag);
  }

  /** Those of later blocks. */
  after(tick: number): string[] {
    return [...this.#byTick].flatMap(([at, tags]) => (at > tick ? [...tags] : []));
  }

  /** Those that nobody can miss. */
  idle(): string[] {
    const idle: string[] = [];
    for (const tag of this.#free) {
      const tick = this.#ticks.get(tag);
      if (tick === undefined || tick >= this.floor || this.#isRequired(tag)) this.#free.delete(tag);
      else idle.push(tag);
    }
    return idle;
  }

  /** In no order, without the idle. */
  entries(): [tag: string, tick: number][] {
    const idle = new Set(this.idle());
    return [...this.#ticks].filter(([tag]) => !idle.has(tag));
  }
}
