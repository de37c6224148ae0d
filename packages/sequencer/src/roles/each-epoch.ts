import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Epochs } from '../store/epochs.ts';

/** Work on the active epochs. */
export interface EpochWork {
  readonly epochs: Epochs;
  readonly signal: AbortSignal;
  /** How long an epoch waits when there is nothing to do, and the list of epochs when it is read again, in milliseconds. */
  readonly idleMs: number;
  /** Called when epochs have ended, with the epochs still active. */
  readonly onEnded?: (active: readonly number[]) => Promise<void>;
  /** Is called after each look at the list. */
  readonly onTurn?: () => void;
  /** Does some work on an epoch. True if there may be more at once. */
  readonly work: (epoch: number, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Works on each active epoch in a loop of its own until the signal aborts, so that an epoch that is stuck keeps no other from going on.
 * @throws the first error of `work`, `onEnded` or the store, when all loops have ended
 */
export async function eachEpoch(options: EpochWork): Promise<void> {
  const { epochs, idleMs, onEnded, onTurn, work } = options;
  const failing = new AbortController();
  const signal = AbortSignal.any([options.signal, failing.signal]);
  const loops = new Map<number, Promise<void>>();
  let active: readonly number[] = [];
  const loop = async (epoch: number): Promise<void> => {
    while (!signal.aborted && active.includes(epoch)) {
      const hasMore = await work(epoch, signal);
      // With a store in memory nothing else would let timers run.
      await (hasMore ? setImmediate() : pause(idleMs, signal));
    }
  };
  const turn = async (): Promise<void> => {
    const before = active.length;
    active = await epochs.active();
    if (active.length < before) await onEnded?.(active);
    for (const epoch of active)
      if (!loops.has(epoch))
        loops.set(
          epoch,
          loop(epoch)
            .catch((error: unknown) => failing.abort(error))
            .finally(() => loops.delete(epoch)),
        );
    onTurn?.();
    await pause(idleMs, signal);
  };
  while (!signal.aborted) await turn().catch((error: unknown) => failing.abort(error));
  await Promise.all(loops.values());
  failing.signal.throwIfAborted();
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
