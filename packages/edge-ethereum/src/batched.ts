import { setImmediate } from 'node:timers/promises';

const none = Symbol('nothing yet');

/** Yields the items of a source in lists of at most `max`. Each list has the items that arrived since the previous one. */
export async function* batched<T>(source: AsyncIterable<T>, max: number): AsyncGenerator<readonly T[]> {
  const items = source[Symbol.asyncIterator]();
  const following = (): Promise<IteratorResult<T>> => {
    const next = items.next();
    // It may fail while the list before is being worked on, and is awaited only then.
    next.catch(() => undefined);
    return next;
  };
  try {
    let next = following();
    for (let found = await next; found.done !== true; found = await next) {
      const batch: T[] = [];
      let arrived: IteratorResult<T> | typeof none = found;
      while (arrived !== none && arrived.done !== true) {
        batch.push(arrived.value);
        next = following();
        if (batch.length === max) break;
        arrived = await Promise.race([next, setImmediate(none)]);
      }
      yield batch;
    }
  } finally {
    await items.return?.();
  }
}
