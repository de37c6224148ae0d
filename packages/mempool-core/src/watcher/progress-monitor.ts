import { setTimeout as delay } from 'node:timers/promises';
import type { ChainPoint } from '../contract/transaction.ts';
import type { ResolvedWatcherOptions } from './watcher-options.ts';

type ProgressMonitorParts = Pick<ResolvedWatcherOptions, 'election' | 'pool' | 'log' | 'progressTimeoutMs'>;

const looksPerTimeout = 4;

/**
 * A standby's watch over the leader: where this node has blocks beyond the pool's tip and the tip does not move, the leader's
 * source or its watcher hangs. Its lease is fine then, so nobody else would ever take it.
 */
export class ProgressMonitor {
  readonly #parts: ProgressMonitorParts;
  /**
   * Where the pool was at the last look, under which leader, and how many looks have found it there since the first. Looks,
   * not time: a process that stood still itself has seen nothing meanwhile.
   */
  #standstill: { readonly place: string; readonly looks: number } | null = null;
  /** The end of this node's chain that the pool was last found to have reached. */
  #reached: ChainPoint | null = null;

  constructor(parts: ProgressMonitorParts) {
    this.#parts = parts;
  }

  /** Until the signal aborts. `seen` is the end of this node's chain; `null` while this node leads, or has none. */
  async keep(signal: AbortSignal, seen: () => ChainPoint | null): Promise<void> {
    const { election, progressTimeoutMs, log } = this.#parts;
    if (progressTimeoutMs === false || election.depose === undefined) return;
    const pauseMs = Math.max(1, progressTimeoutMs / looksPerTimeout);
    while (!signal.aborted) {
      // Rejects by the signal alone.
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      const look = signal.aborted ? undefined : this.#look(seen(), signal);
      await look?.catch((error: unknown) => log('debug', 'the leader could not be judged', { error }));
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
