import { describe, expect, it } from 'vitest';
import { MempoolError, type MempoolErrorCode } from '../../src/contract/errors.ts';
import { retryUntil } from '../../src/drivers/retry.ts';

const failure = (code: MempoolErrorCode): MempoolError => new MempoolError(code, 'as planned');
const unsent = failure('ERR_MEMPOOL_UNAVAILABLE');
const unanswered = failure('ERR_MEMPOOL_OUTCOME_UNKNOWN');

/** A store that answers each attempt as told; each takes 400 ms of the injected clock. The last answer repeats. */
function scripted(...answers: (Error | string)[]) {
  let now = 1_000;
  const remaining: number[] = [];
  const attempt = (remainingMs: number): string => {
    remaining.push(remainingMs);
    now += 400;
    const answer = answers[Math.min(remaining.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer ?? 'nothing';
  };
  return { clock: () => now, attempt, remaining };
}

const call = (store: ReturnType<typeof scripted>, signal?: AbortSignal): Promise<string> =>
  retryUntil({ timeoutMs: 1_000, clock: store.clock, signal }, store.attempt);

describe('a call that waits for its store (X5)', () => {
  it('is repeated until it succeeds, each attempt told how much time is left', async () => {
    const store = scripted(unsent, unanswered, 'done');
    expect(await call(store)).toBe('done');
    expect(store.remaining).toEqual([1_000, 600, 200]);
  });

  it('fails as UNAVAILABLE where nothing was sent in time', async () => {
    const store = scripted(unsent);
    await expect(call(store)).rejects.toBe(unsent);
    expect(store.remaining).toHaveLength(3);
  });

  it('fails as OUTCOME_UNKNOWN once an attempt was sent, whatever came after', async () => {
    const failing = call(scripted(unanswered, unsent));
    await expect(failing).rejects.toMatchObject({ code: 'ERR_MEMPOOL_OUTCOME_UNKNOWN', retryable: true });
  });

  it('is not repeated for any other failure', async () => {
    const full = failure('ERR_MEMPOOL_STORE_FULL');
    const store = scripted(full, 'never asked');
    await expect(call(store)).rejects.toBe(full);
    expect(store.remaining).toHaveLength(1);
  });

  it.each([
    failure('ERR_MEMPOOL_READ_ONLY'),
    failure('ERR_MEMPOOL_AUTH'),
    failure('ERR_MEMPOOL_PERMISSION'),
    failure('ERR_MEMPOOL_STORE_FULL'),
    new TypeError('the backend broke'),
  ])('fails as OUTCOME_UNKNOWN where an attempt after a lost one is turned away: %s', async (refusal) => {
    await expect(call(scripted(unanswered, refusal))).rejects.toMatchObject({
      code: 'ERR_MEMPOOL_OUTCOME_UNKNOWN',
      cause: refusal,
    });
  });

  it.each([failure('ERR_MEMPOOL_INVALID'), failure('ERR_MEMPOOL_CORRUPT')])(
    'ends with the answer to its operation id that an attempt after a lost one gets: $code',
    async (answer) => {
      await expect(call(scripted(unanswered, answer))).rejects.toBe(answer);
    },
  );
});

describe('abort (R3)', () => {
  const reason = new Error('changed my mind');

  it('ends it with the signal’s reason before anything was sent', async () => {
    const store = scripted('never asked');
    await expect(call(store, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(store.remaining).toEqual([]);
  });

  it('ends it between attempts while nothing was sent', async () => {
    const abort = new AbortController();
    const store = scripted(unsent);
    const attempt = (remainingMs: number): string => {
      abort.abort(reason);
      return store.attempt(remainingMs);
    };
    const options = { timeoutMs: 1_000, clock: store.clock, signal: abort.signal };
    await expect(retryUntil(options, attempt)).rejects.toBe(reason);
    expect(store.remaining).toHaveLength(1);
  });

  it('does not end it once something was sent', async () => {
    const abort = new AbortController();
    const store = scripted(unanswered, 'done');
    const attempt = (remainingMs: number): string => {
      abort.abort(reason);
      return store.attempt(remainingMs);
    };
    const options = { timeoutMs: 1_000, clock: store.clock, signal: abort.signal };
    expect(await retryUntil(options, attempt)).toBe('done');
  });
});
