import { setImmediate as turn } from 'node:timers/promises';
import type { ElectionClock } from '../src/contract/clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that passes when a test says so. Between two timers everything that is ready runs to its end. */
export class ManualClock implements ElectionClock {
  #monotonicMs = 1_000;
  #wallMs = 1_700_000_000_000;
  readonly #timers = new Set<Timer>();

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { dueMs: this.#monotonicMs + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Lets so much time pass, and runs what falls due, in its order. */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.#monotonicMs + durationMs;
    await turn();
    for (let timer = this.#next(untilMs); timer !== null; timer = this.#next(untilMs)) {
      this.#timers.delete(timer);
      this.#pass(Math.max(0, timer.dueMs - this.#monotonicMs));
      timer.callback();
      await turn();
    }
    this.#pass(untilMs - this.#monotonicMs);
  }

  /** Everything that is ready runs; no time passes. */
  async settle(): Promise<void> {
    await this.advance(0);
  }

  /** Time passes while nothing runs: a stalled event loop, or a stopped process. */
  stall(durationMs: number): void {
    this.#pass(durationMs);
  }

  /** The operator sets the wall clock, forward or back. */
  setWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** Timers that nobody has cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  #pass(durationMs: number): void {
    this.#monotonicMs += durationMs;
    this.#wallMs += durationMs;
  }

  #next(untilMs: number): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers)
      if (timer.dueMs <= untilMs && (next === null || timer.dueMs < next.dueMs)) next = timer;
    return next;
  }
}
