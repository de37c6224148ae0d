import { setTimeout as delay } from 'node:timers/promises';
import { isMempoolError, MempoolError, type MempoolErrorCode } from '../contract/errors.ts';

const firstPauseMs = 2;
const longestPauseMs = 100;

export interface RetryOptions {
  /** How long to go on, in milliseconds of `clock`. */
  readonly timeoutMs: number;
  readonly clock: () => number;
  readonly signal: AbortSignal | undefined;
}

/**
 * X5: repeats `attempt` until it succeeds or the time is used up. An attempt says by its error what happened:
 * `ERR_MEMPOOL_UNAVAILABLE` (nothing was sent) and `ERR_MEMPOOL_OUTCOME_UNKNOWN` (sent, answer lost) are tried again, any
 * other error ends the call. Once one attempt was sent, the signal does not end the call any more (R3), and a refusal of a
 * later one (a replica, credentials, no room) ends it as `ERR_MEMPOOL_OUTCOME_UNKNOWN`: the one before may have been applied.
 *
 * @throws the last attempt's error or that, or the signal's reason while nothing was sent
 */
export async function retryUntil<T>(
  { timeoutMs, clock, signal }: RetryOptions,
  attempt: (remainingMs: number) => Promise<T> | T,
): Promise<T> {
  const deadline = clock() + timeoutMs;
  let sent = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    if (!sent) signal?.throwIfAborted();
    try {
      return await attempt(Math.max(1, deadline - clock()));
    } catch (error) {
      sent ||= isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
      if (!sent && !isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
      if (clock() + pauseMs >= deadline || !isUndecided(error)) throw outcome(error, sent);
    }
    await pause(pauseMs, sent ? undefined : signal);
  }
}

function isUndecided(error: unknown): boolean {
  return isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE') || isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
}

/** What a store answers when it has looked at the call and its operation id: that holds for every attempt. */
const answers: readonly MempoolErrorCode[] = ['ERR_MEMPOOL_INVALID', 'ERR_MEMPOOL_CORRUPT'];

/** An attempt that was turned away does not tell what became of one that was sent. */
function outcome(error: unknown, sent: boolean): unknown {
  if (!sent || isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN')) return error;
  if (isMempoolError(error) && answers.includes(error.code)) return error;
  const message = error instanceof Error ? error.message : 'the backend failed';
  return new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', message, { cause: error });
}

/** Half of the pause is by chance, so that waiting writers do not meet again. */
async function pause(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  const waitMs = pauseMs * (0.5 + Math.random() / 2);
  try {
    await delay(waitMs, undefined, signal === undefined ? {} : { signal });
  } catch {
    signal?.throwIfAborted();
  }
}
