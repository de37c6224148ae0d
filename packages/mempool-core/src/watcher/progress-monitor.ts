import { setTimeout as delay } from 'node:timers/promises';
import type { ChainPoint } from '../contract/transaction.ts';
import type { ResolvedWatcherOptions } from './watcher-options.ts';

type ProgressMonitorParts = Pick<ResolvedWatcherOptions, 'election' | 'pool' | 'log' | 'progressTimeoutMs'>;

const looksPerTimeout = 4;

/**
 * Detects, on a standby, a leader that hangs. If this node has blocks beyond the pool's tip and the tip does not move,
 * the leader's source or watcher hangs. Such a leader still renews its lease, so without this check no other node would
 * take over.
 */
export class ProgressMonitor {
  readonly #parts: ProgressMonitorParts;
  /**
   * The leader's term and the pool's tip at the last look, and how many looks have found the same since the first. It
   * counts looks, not time: a process that was suspended has observed nothing meanwhile.
   */
  #standstill: { readonly place: string; readonly looks: number } | null = null;
  /** The end of this node's chain when a look last found that the pool had reached it. */
  #reached: ChainPoint | null = null;

  constructor(parts: ProgressMonitorParts) {
    this.#parts = parts;
  }

  /** Runs until `signal` aborts. `seen` returns the end of this node's chain; `null` if it leads or has none. */
  async keep(signal: AbortSignal, seen: () => ChainPoint | null): Promise<void> {
    const { election, progressTimeoutMs, log } = this.#parts;
    if (progressTimeoutMs === false || election.depose === undefined) return;
    const pauseMs = Math.max(1, progressTimeoutMs / looksPerTimeout);
    while (!signal.aborted) {
      // Only an abort makes it reject.
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      const look = signal.aborted ? undefined : this.#look(seen(), signal);
      await look?.catch((error: unknown) => log('debug', 'the progress of the leader could not be checked', { error }));
    }
  }

  async #look(seen: ChainPoint | null, signal: AbortSignal): Promise<void> {
    const { election, pool, log, progressTimeoutMs } = this.#parts;
    const term = election.leader?.term;
    if (seen === null || term === undefined || seen === this.#reached) return this.#moves();
    const { point, tick } = await pool.tip({ signal });
    if (point !== null && point.slot >= seen.slot) {
      this.#reached = seen;
      return this.#moves();
    }
    const place = `${term} ${tick} ${point?.hash}`;
    const looks = this.#standstill?.place === place ? this.#standstill.looks + 1 : 0;
    this.#standstill = { place, looks };
    if (looks < looksPerTimeout) return;
    this.#moves();
    log('warn', 'the leader applies nothing, taking its lease', { term, tip: point, seen, progressTimeoutMs });
    await election.depose?.(term);
  }

  #moves(): void {
    this.#standstill = null;
  }
}
