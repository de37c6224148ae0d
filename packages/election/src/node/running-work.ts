/** The leader work that has not ended yet, also from leaderships that are over. */
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

  /** Calls `callback` whenever some work has ended. It replaces the callback given before. */
  onSettled(callback: () => void): void {
    this.#onSettled = callback;
  }
}
