/** Settles as `promise` does. Rejects with the signal's reason if the abort comes first. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Returns an iterator whose `return` ends it at once, even while `next` waits. `begin` receives a signal that aborts when
 * `outer` aborts or the iteration ends.
 */
export function endable<T>(
  begin: (signal: AbortSignal) => AsyncGenerator<T, undefined>,
  outer: AbortSignal | undefined,
): AsyncIterator<T, undefined> {
  const ended = new AbortController();
  const signal = outer === undefined ? ended.signal : AbortSignal.any([outer, ended.signal]);
  const steps = begin(signal);
  return {
    next: async () => {
      try {
        return await steps.next();
      } catch (error) {
        if (ended.signal.aborted) return { done: true, value: undefined };
        ended.abort();
        throw error;
      }
    },
    return: async () => {
      ended.abort();
      await steps.return(undefined).catch(() => undefined);
      return { done: true, value: undefined };
    },
  };
}
