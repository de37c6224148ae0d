import { aborted } from 'node:util';

/** Writers of one store wait for the file one behind the other, so that a busy file does not change the order of calls. */
export class WriteLine {
  #last: Promise<void> | null = null;

  /** @throws the signal's reason while it waits */
  async run<T>(signal: AbortSignal | undefined, write: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const mine = before === null ? done : before.then(() => done);
    this.#last = mine;
    try {
      if (before !== null) await (signal === undefined ? before : Promise.race([before, aborted(signal, done)]));
      return await write();
    } finally {
      resolve();
      void mine.then(() => {
        if (this.#last === mine) this.#last = null;
      });
    }
  }
}
