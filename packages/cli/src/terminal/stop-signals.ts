/** The signals that stop the command. A closed terminal sends SIGHUP. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof stopSignals)[number];

const sameSignalMs = 2_000;

/**
 * Decides what a signal does. The first one stops the command, a further one ends the process at once. One signal may come
 * twice: systemd and tini send it to all processes of a group, and npm, which is one of them, forwards it.
 */
export class StopSignals {
  readonly #firstMs = new Map<StopSignal, number>();

  take(signal: StopSignal, nowMs: number): 'stop' | 'same' | 'end' {
    const firstMs = this.#firstMs.get(signal);
    if (firstMs !== undefined) return nowMs - firstMs < sameSignalMs ? 'same' : 'end';
    const isFirst = this.#firstMs.size === 0;
    this.#firstMs.set(signal, nowMs);
    return isFirst ? 'stop' : 'end';
  }
}
