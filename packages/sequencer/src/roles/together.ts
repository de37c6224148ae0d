/** Runs parts until the signal aborts. If one fails, all stop. @throws the first error of a part, when all have ended */
export async function together(
  signal: AbortSignal,
  parts: readonly ((signal: AbortSignal) => Promise<unknown>)[],
): Promise<void> {
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  const running = parts.map((part) => part(either).catch((error: unknown) => failing.abort(error)));
  await Promise.all(running);
  failing.signal.throwIfAborted();
}
