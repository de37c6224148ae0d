/** A queue of values for one reader, in the order in which they were pushed. It ends when one of the signals in `ends` aborts. */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  readonly #held: T[] = [];
  readonly #readers: ((result: IteratorResult<T>) => void)[] = [];
  readonly #ends: readonly AbortSignal[];
  readonly #unsubscribe: () => void;
  #ended = false;

  constructor(subscribe: (push: (value: T) => void) => () => void, ends: readonly (AbortSignal | undefined)[]) {
    this.#ends = ends.filter((signal) => signal !== undefined);
    this.#unsubscribe = subscribe((value) => this.#push(value));
    for (const signal of this.#ends) signal.addEventListener('abort', this.#end);
    if (this.#ends.some(({ aborted }) => aborted)) this.#end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.#held.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  async return(): Promise<IteratorResult<T>> {
    this.#held.length = 0;
    this.#end();
    return { done: true, value: undefined };
  }

  #push(value: T): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#held.push(value);
    else reader({ done: false, value });
  }

  readonly #end = (): void => {
    this.#ended = true;
    this.#unsubscribe();
    for (const signal of this.#ends) signal.removeEventListener('abort', this.#end);
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  };
}
