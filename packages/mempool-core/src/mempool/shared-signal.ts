/** The signal of a store call that several callers share: it fires when the last of them has aborted. */
export interface SharedSignal {
  /** `undefined` where a caller has none, who waits for the answer in any case. */
  readonly signal: AbortSignal | undefined;
  /** Stops listening to the callers' signals. */
  release(): void;
}

export function shareSignals(signals: readonly (AbortSignal | undefined)[]): SharedSignal {
  const standing = new Set<AbortSignal>();
  for (const signal of signals) {
    if (signal === undefined) return { signal, release: () => undefined };
    if (!signal.aborted) standing.add(signal);
  }
  const ending = new AbortController();
  const abort = ({ target }: Event): void => {
    standing.delete(target as AbortSignal);
    if (standing.size === 0) ending.abort();
  };
  for (const signal of standing) signal.addEventListener('abort', abort, { once: true });
  if (standing.size === 0) ending.abort();
  return {
    signal: ending.signal,
    release: () => {
      for (const signal of standing) signal.removeEventListener('abort', abort);
    },
  };
}
