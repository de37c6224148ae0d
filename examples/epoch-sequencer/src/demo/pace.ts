import { setTimeout as delay } from 'node:timers/promises';

/** If nothing happens for so long, the run ends. */
const stallMs = 300_000;
const shortestMs = 20_000;
/** How many times as long a window is as the slowest traffic took. */
const room = 4;

/** Asks until the answer is true. @throws if it is not in five minutes; the signal's reason */
export async function happened(what: string, ask: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const until = performance.now() + stallMs;
  while (!(await ask())) {
    if (performance.now() > until) throw new Error(`${what} did not happen in ${stallMs / 1_000} s`);
    await delay(100, undefined, { signal });
  }
}

/** How long windows have to be on this machine. */
export class Pace {
  #slowestMs = 0;

  get windowMs(): number {
    return Math.max(shortestMs, Math.ceil(room * this.#slowestMs));
  }

  /** Adds an epoch whose release was read, and whose traffic was received, after so long. The slowest counts, but not for ever. */
  measured(tookMs: number): void {
    this.#slowestMs = Math.max(tookMs, this.#slowestMs * 0.8);
  }
}
