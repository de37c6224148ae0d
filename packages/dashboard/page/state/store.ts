/** Waits for the next picture; in a hidden page, where none is drawn, for a moment. */
export type Batch = (flush: () => void) => void;

/** The state that the page shows. Changes of one picture reach the listeners together. */
export class Store<State extends object> {
  #state: State;
  readonly #batch: Batch;
  readonly #listeners = new Set<() => void>();
  #isWaiting = false;

  constructor(state: State, batch: Batch) {
    this.#state = state;
    this.#batch = batch;
  }

  get state(): State {
    return this.#state;
  }

  /** Sets fields. What does not change keeps its identity, so that its part of the page is not drawn again. */
  set(change: Partial<State>): void {
    const names = Object.keys(change) as (keyof State)[];
    if (names.every((name) => this.#state[name] === change[name])) return;
    this.#state = { ...this.#state, ...change };
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#batch(() => {
      this.#isWaiting = false;
      for (const listener of this.#listeners) listener();
    });
  }

  /** Calls the listener after changes. Returns its removal. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
