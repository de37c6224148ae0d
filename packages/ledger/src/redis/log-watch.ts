import { setTimeout as pause } from 'node:timers/promises';
import type { Link } from 'mempool-redis/backend';

/** Duration of a blocking read. */
const blockMs = 1_000;
/** How long the answer may take beyond that. Then the connection is replaced. */
const answerMs = 1_000;
/** After this time a waiter looks itself, in case the server went back or is out of reach. */
const patienceMs = 2_000;
const pauseMs = 100;

interface Waiter {
  readonly after: number;
  wake(): void;
}

/** Waits for new entries of the log, on its own connection, which is open while there are waiters. */
export class LogWatch {
  readonly #key: string;
  readonly #connect: () => Link;
  readonly #waiters = new Set<Waiter>();
  #reader: Link | null = null;

  constructor(key: string, connect: () => Link) {
    this.#key = key;
    this.#connect = connect;
  }

  /** Resolves when there may be a record after `after`, when some seconds have passed, or when `signal` aborts. */
  changed(after: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        after,
        wake: () => {
          this.#waiters.delete(waiter);
          clearTimeout(timer);
          signal.removeEventListener('abort', waiter.wake);
          resolve();
        },
      };
      const timer = setTimeout(waiter.wake, patienceMs);
      signal.addEventListener('abort', waiter.wake);
      this.#waiters.add(waiter);
      if (this.#reader === null) void this.#follow();
    });
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
    for (const waiter of [...this.#waiters]) waiter.wake();
  }

  async #follow(): Promise<void> {
    const reader = this.#connect();
    this.#reader = reader;
    while (this.#reader === reader && this.#waiters.size > 0) {
      const after = Math.min(...[...this.#waiters].map((waiter) => waiter.after));
      try {
        const found = await this.#read(reader, after);
        for (const waiter of [...this.#waiters]) if (waiter.after < found) waiter.wake();
      } catch {
        await pause(pauseMs, undefined, { ref: false });
      }
      // The woken come back at once if they want more.
      if (this.#waiters.size === 0) await pause(pauseMs, undefined, { ref: false });
    }
    if (this.#reader !== reader) return;
    this.#reader = null;
    reader.close();
  }

  /** The seq of the first entry after `after`, or `after` if there was none in time. */
  async #read(reader: Link, after: number): Promise<number> {
    const args = ['COUNT', 1, 'BLOCK', blockMs, 'STREAMS', this.#key, `${after}-0`];
    type Entries = readonly [id: Buffer, fields: Buffer[]][];
    const reply = await reader.read<readonly [readonly [key: Buffer, Entries]] | null>(
      'XREAD',
      args,
      blockMs + answerMs,
    );
    const id = reply?.[0][1][0]?.[0];
    return id === undefined ? after : Number.parseInt(String(id), 10);
  }
}
