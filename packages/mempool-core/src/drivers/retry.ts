import { setTimeout as delay } from 'node:timers/promises';
import { isMempoolError, MempoolError, type MempoolErrorCode } from '../contract/errors.ts';

const firstPauseMs = 2;
const longestPauseMs = 100;

/** How long `retryUntil` repeats a call, and the signal that may abort it. */
export interface RetryOptions {
  /** How long to repeat, in milliseconds of `clock`. */
  readonly timeoutMs: number;
  readonly clock: () => number;
  readonly signal: AbortSignal | undefined;
  /** Returns the pause before the next attempt, in milliseconds. Without it the pauses grow from 2 to 100 ms. */
  readonly pauseMs?: () => number;
}

/**
 * Repeats `attempt` until it succeeds or the time is used up (X5). `ERR_MEMPOOL_UNAVAILABLE` (nothing was sent) and
 * `ERR_MEMPOOL_OUTCOME_UNKNOWN` (sent, answer lost) are tried again. Any other error ends the call. After one attempt
 * was sent, the signal no longer ends the call (R3). If a later attempt is then refused (a replica, credentials, no
 * room), the call ends with `ERR_MEMPOOL_OUTCOME_UNKNOWN`, because the earlier attempt may have been applied.
 *
 * @throws the error of the last attempt or `ERR_MEMPOOL_OUTCOME_UNKNOWN`, or the signal's reason while nothing was sent
 */
export async function retryUntil<T>(
  { timeoutMs, clock, signal, pauseMs }: RetryOptions,
  attempt: (remainingMs: number) => Promise<T> | T,
): Promise<T> {
  const deadline = clock() + timeoutMs;
  let sent = false;
  for (let growingMs = firstPauseMs; ; growingMs = Math.min(longestPauseMs, growingMs * 2)) {
    if (!sent) signal?.throwIfAborted();
    try {
      return await attempt(Math.max(1, deadline - clock()));
    } catch (error) {
      sent ||= isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
      if (!sent && !isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
      const waitMs = pauseMs?.() ?? spread(growingMs);
      if (clock() + waitMs >= deadline || !isUndecided(error)) throw outcome(error, sent);
      await pause(waitMs, sent ? undefined : signal);
    }
  }
}

function isUndecided(error: unknown): boolean {
  return isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE') || isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
}

/** A store returns these codes after it has looked up the operation id. They hold for every attempt. */
const answers: readonly MempoolErrorCode[] = ['ERR_MEMPOOL_INVALID', 'ERR_MEMPOOL_CORRUPT'];

/** A refused attempt does not tell whether an earlier attempt was applied. */
function outcome(error: unknown, sent: boolean): unknown {
  if (!sent || isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN')) return error;
  if (isMempoolError(error) && answers.includes(error.code)) return error;
  const message = error instanceof Error ? error.message : 'the backend failed';
  return new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', message, { cause: error });
}

/** Half of the pause is random, so that waiting writers do not try again at the same time. */
function spread(pauseMs: number): number {
  return pauseMs * (0.5 + Math.random() / 2);
}

async function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(waitMs, undefined, signal === undefined ? {} : { signal });
  } catch {
    signal?.throwIfAborted();
  }
}
