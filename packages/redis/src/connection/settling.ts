import { MempoolError } from 'mempool-core';

/** The calls under way. A caller can wait for the calls that are under way at that time. */
export class Settling {
  readonly #open = new Set<Promise<unknown>>();

  add(call: Promise<unknown>): void {
    const end = (): void => void this.#open.delete(call);
    this.#open.add(call);
    call.then(end, end);
  }

  /** Resolves when the calls added until now have ended, even with errors. @throws `ERR_MEMPOOL_UNAVAILABLE` after `timeoutMs` */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    await within(Promise.allSettled([...this.#open]), timeoutMs, lateBehind(undefined));
  }
}

/** The error of a call that waited for earlier writes until its time was over. `failure`: the error of the last of them, if it failed. */
export function lateBehind(failure: unknown): MempoolError {
  return new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'earlier writes took all the time', { cause: failure });
}

/** Returns the answer. @throws `late` if the answer takes longer than `timeoutMs` */
export function within<T>(answer: Promise<T>, timeoutMs: number, late: Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, timeoutMs, late);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
