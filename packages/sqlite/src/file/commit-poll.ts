import type { SqlFile } from './sql-file.ts';

const pollMs = 25;

/** Notifies listeners of commits: at once for those of this connection, by polling the file for those of other processes (E4). */
export class CommitPoll {
  readonly #file: SqlFile;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #version: unknown;

  constructor(file: SqlFile) {
    this.#file = file;
    file.onWritten(() => this.#notify());
  }

  listen(listener: () => void): () => void {
    if (this.#listeners.size === 0) {
      this.#version = this.#dataVersion();
      this.#timer = setInterval(() => this.#poll(), pollMs);
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearInterval(this.#timer);
    };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #poll(): void {
    const version = this.#dataVersion();
    if (version !== null && version === this.#version) return;
    this.#version = version;
    this.#notify();
  }

  /**
   * Changes with every commit of another connection; `null` if the file cannot be read, or is not at its path any more: then readers
   * get the error.
   */
  #dataVersion(): unknown {
    try {
      this.#file.assertInPlace();
      return this.#file.row('dataVersion')?.data_version;
    } catch {
      return null;
    }
  }
}
