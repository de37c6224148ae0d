import { setImmediate } from 'node:timers/promises';

/** Collects answers until the end of this turn of the event loop, so that many become one call. */
export class Answers<V> {
  readonly #send: (verdict: V, hashes: readonly string[]) => Promise<void>;
  #waiting = new Map<V, string[]>();
  #sending: Promise<void> | null = null;

  constructor(send: (verdict: V, hashes: readonly string[]) => Promise<void>) {
    this.#send = send;
  }

  /** Resolves when the answer was sent. @throws the error of `send` */
  give(verdict: V, hash: string): Promise<void> {
    const hashes = this.#waiting.get(verdict) ?? [];
    hashes.push(hash);
    this.#waiting.set(verdict, hashes);
    this.#sending ??= setImmediate().then(() => this.#sendAll());
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const answers = this.#waiting;
    this.#waiting = new Map();
    this.#sending = null;
    for (const [verdict, hashes] of answers) await this.#send(verdict, hashes);
  }
}
