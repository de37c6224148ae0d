import { MempoolError } from 'mempool-core';

/** Calls that are under way, and a way to wait for those that are under way now. */
export class Settling {
  readonly #open = new Set<Promise<unknown>>();

  add(call: Promise<unknown>): void {
    const end = (): void => void this.#open.delete(call);
    this.#open.add(call);
    call.then(end, end);
  }

  /** Resolves when the calls that were added until now have ended, however they end. @throws `ERR_MEMPOOL_UNAVAILABLE` */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const late = new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'earlier writes took all the time');
    await within(Promise.allSettled([...this.#open]), timeoutMs, late);
  }
}

/** The answer, unless it takes longer than `timeoutMs`. @throws `late` then */
export function within<T>(answer: Promise<T>, timeoutMs: number, late: Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, timeoutMs, late);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
