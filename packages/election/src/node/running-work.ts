/** The leader work that has not ended yet, including that of leaderships that are over. */
export class RunningWork {
  readonly #all = new Set<Promise<unknown>>();
  #onSettled: () => void = () => undefined;

  get isIdle(): boolean {
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

  /** Sets the callback that is called when a work has ended. It replaces the previous callback. */
  onSettled(callback: () => void): void {
    this.#onSettled = callback;
  }
}
