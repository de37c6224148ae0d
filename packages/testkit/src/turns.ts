/** Counts the turns of the event loop from its making on. */
export class TurnCount {
  #turns = 0;
  #next: NodeJS.Immediate | undefined;

  constructor() {
    this.#wait();
  }

  get count(): number {
    return this.#turns;
  }

  /** Stops counting. Returns how many there were. */
  end(): number {
    clearImmediate(this.#next);
    return this.#turns;
  }

  #wait(): void {
    this.#next = setImmediate(() => {
      this.#turns += 1;
      this.#wait();
    });
  }
}
