/** What is being done by leaders, and has not ended: that of a leadership that is over included. */
export class Works {
  readonly #all = new Set<Promise<unknown>>();
  #onSettled: () => void = () => undefined;

  get idle(): boolean {
    return this.#all.size === 0;
  }

  track(work: Promise<unknown>): void {
    const settled = () => {
      this.#all.delete(work);
      this.#onSettled();
    };
    this.#all.add(work);
    work.then(settled, settled);
  }

  /** Calls back whenever a work has ended; the latest caller counts. */
  onSettled(callback: () => void): void {
    this.#onSettled = callback;
  }
}
