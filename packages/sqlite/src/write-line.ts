/** Writers of one store wait for the file one behind the other, so that a busy file does not change the order of calls. */
export class WriteLine {
  #last: Promise<void> | null = null;

  /** Runs `write` when all earlier ones have ended, at once where there are none. @throws the signal's reason while it waits */
  async run<T>(signal: AbortSignal | undefined, write: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const mine = before === null ? ended : before.then(() => ended);
    this.#last = mine;
    void mine.then(() => {
      if (this.#last === mine) this.#last = null;
    });
    try {
      if (before !== null) await untilAborted(before, signal);
      return await write();
    } finally {
      end();
    }
  }
}

async function untilAborted(turn: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return turn;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([turn, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
