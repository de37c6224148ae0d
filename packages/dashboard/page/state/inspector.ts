import type { MempoolEvent } from 'mempool-core';
import type { LifeEvent, WireStatus } from '../wire/answers.ts';
import { ReadError, readJson } from '../wire/read.ts';
import { historyWith } from './life.ts';
import { Rereader } from './rereader.ts';

/** A transaction that somebody looks at. */
export interface Inspected {
  readonly hash: string;
  /** `null` while it is asked for, and if the pool does not know it. */
  readonly status: WireStatus | null;
  /** The kept events, oldest first; `null` while they are read. */
  readonly events: readonly LifeEvent[] | null;
  /** False: older events are gone, or reading them took too long. */
  readonly isComplete: boolean;
  /** Why there is nothing to show; `null`: there is, or it is asked for. */
  readonly fault: string | null;
}

/** Follows one transaction: its status is read again when it may have changed, its history once. */
export class Inspector {
  readonly #show: (inspected: Inspected | null) => void;
  #inspected: Inspected | null = null;
  #reading = new AbortController();
  #status: Rereader | null = null;

  constructor(show: (inspected: Inspected | null) => void) {
    this.#show = show;
  }

  open(hash: string): void {
    if (this.#inspected?.hash === hash) return;
    this.close();
    this.#set({ hash, status: null, events: null, isComplete: true, fault: null });
    this.#status = new Rereader(() => this.#readStatus(hash), { atMostEveryMs: 1_000, atLeastEveryMs: 10_000 });
    this.#status.start();
    void this.#readHistory(hash);
  }

  close(): void {
    this.#reading.abort();
    this.#reading = new AbortController();
    this.#status?.stop();
    this.#set(null);
  }

  /** A block may change the confirmations of every transaction. */
  take(event: MempoolEvent): void {
    const shown = this.#inspected;
    if (shown === null) return;
    if (event.kind === 'lagged') void this.#readHistory(shown.hash);
    if (event.kind === 'transaction') {
      if (event.hash !== shown.hash) return;
      if (shown.events !== null) this.#set({ ...shown, events: historyWith(shown.events, event) });
    }
    this.#status?.changed();
  }

  async #readStatus(hash: string): Promise<void> {
    const { signal } = this.#reading;
    try {
      const status = await readJson<WireStatus>(`api/v1/transactions/${hash}`, signal);
      this.#update(signal, { status, fault: null });
    } catch (error) {
      this.#fail(signal, error);
    }
  }

  async #readHistory(hash: string): Promise<void> {
    const { signal } = this.#reading;
    try {
      const { history } = await readJson<WireStatus>(`api/v1/transactions/${hash}?history=true`, signal);
      const { items = [], complete = false } = history ?? {};
      this.#update(signal, { events: items, isComplete: complete });
    } catch (error) {
      this.#fail(signal, error);
    }
  }

  #fail(signal: AbortSignal, error: unknown): void {
    if (signal.aborted || this.#inspected === null) return;
    const isUnknown = error instanceof ReadError && error.status === 404;
    const detail = error instanceof Error ? error.message : String(error);
    const { status } = this.#inspected;
    // The shown data stay while the server is away.
    if (isUnknown || status === null)
      this.#update(signal, { status: isUnknown ? null : status, fault: isUnknown ? unknownText : detail });
  }

  #update(signal: AbortSignal, change: Partial<Inspected>): void {
    if (!signal.aborted && this.#inspected !== null) this.#set({ ...this.#inspected, ...change });
  }

  #set(inspected: Inspected | null): void {
    this.#inspected = inspected;
    this.#show(inspected);
  }
}

const unknownText =
  'The pool does not know this transaction. It never came here, or it ended so long ago that nothing is kept of it.';
