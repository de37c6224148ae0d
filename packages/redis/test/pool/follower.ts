import type { Mempool, MempoolEvent, SubscribeOptions } from 'mempool-core';

/** An event in short, or `lagged`, or `restarted` if the pool was made anew. */
function inShort(event: MempoolEvent): string {
  if (event.kind === 'lagged') return event.restarted ? 'restarted' : 'lagged';
  return `${event.eventSeq} ${event.kind === 'transaction' ? Number.parseInt(event.hash, 16) : event.kind}`;
}

const longestMs = 15_000;

/** Reads a stream into a list. */
export class Follower {
  readonly heard: string[] = [];
  #wake = (): void => {};

  static async of(store: Mempool, options: SubscribeOptions = {}): Promise<Follower> {
    const follower = new Follower();
    follower.#read(await store.subscribe(options)).catch(() => undefined);
    return follower;
  }

  get losses(): number {
    return this.heard.filter((word) => !/^\d/.test(word)).length;
  }

  /** The number of the last event. */
  get last(): number {
    return Number.parseInt(this.heard.at(-1) ?? '0', 10);
  }

  /** What was heard since the last loss. */
  get sinceLoss(): readonly string[] {
    return this.heard.slice(this.heard.findLastIndex((word) => !/^\d/.test(word)) + 1);
  }

  /** Resolves when the condition holds. @throws Error if it does not for a long time: the stream stands still */
  async until(condition: (follower: this) => boolean): Promise<void> {
    const deadline = performance.now() + longestMs;
    while (!condition(this)) {
      if (performance.now() > deadline) throw new Error(`the stream stands still after ${this.heard.slice(-5)}`);
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      const timer = setTimeout(this.#wake, 500);
      await woken;
      clearTimeout(timer);
    }
  }

  async #read(stream: AsyncIterable<MempoolEvent>): Promise<void> {
    for await (const event of stream) {
      this.heard.push(inShort(event));
      this.#wake();
    }
  }
}
