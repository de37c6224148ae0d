import type { Terminal } from './terminal.ts';

/** How often progress is reported. */
const everyMs = 1_000;

/** Reports the progress of a long command to the stream for notes. A short command reports none. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #verb: string;
  readonly #expected: number;
  #reportedAt = performance.now();

  constructor(terminal: Terminal, verb: string, expected: number) {
    this.#terminal = terminal;
    this.#verb = verb;
    this.#expected = expected;
  }

  report(lines: number): void {
    const now = performance.now();
    if (now < this.#reportedAt + everyMs) return;
    this.#reportedAt = now;
    const percent = Math.min(100, Math.floor((100 * lines) / Math.max(1, this.#expected)));
    this.#terminal.note(`${this.#verb} ${lines} lines, about ${percent} %`);
  }
}
