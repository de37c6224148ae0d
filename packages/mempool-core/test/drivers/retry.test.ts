import { describe, expect, it } from 'vitest';
import { MempoolError, type MempoolErrorCode } from '../../src/contract/errors.ts';
import { retryUntil } from '../../src/drivers/retry.ts';

const failure = (code: MempoolErrorCode): MempoolError => new MempoolError(code, 'as planned');
const unsent = failure('ERR_MEMPOOL_UNAVAILABLE');
const unanswered = failure('ERR_MEMPOOL_OUTCOME_UNKNOWN');
const full = failure('ERR_MEMPOOL_STORE_FULL');
const reason = new Error('changed my mind');

/** Attempts that end in these ways, the last one again and again. Each takes 400 ms of the injected clock. */
async function called(answers: readonly (Error | string)[], signal?: AbortSignal, during = (): void => undefined) {
  let now = 1_000;
  const remaining: number[] = [];
  const attempt = (remainingMs: number): string => {
    during();
    remaining.push(remainingMs);
    now += 400;
    const answer = answers[Math.min(remaining.length, answers.length) - 1] as Error | string;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const told = await retryUntil({ timeoutMs: 1_000, clock: () => now, signal }, attempt).catch((error) => error);
  return { told, remaining };
}

describe('a call that waits for its store (X5)', () => {
  it.each<[string, (Error | string)[], Error | string, number[]]>([
    ['is repeated until it succeeds, and told the time left', [unsent, unanswered, 'done'], 'done', [1_000, 600, 200]],
    ['fails as UNAVAILABLE where nothing was sent in time', [unsent], unsent, [1_000, 600, 200]],
    ['is not repeated for any other failure', [full, 'never asked'], full, [1_000]],
  ])('%s', async (_, answers, told, remaining) => {
    expect(await called(answers)).toEqual({ told, remaining });
  });

  it.each([
    unsent,
    failure('ERR_MEMPOOL_READ_ONLY'),
    failure('ERR_MEMPOOL_AUTH'),
    failure('ERR_MEMPOOL_PERMISSION'),
    full,
    new TypeError('the backend broke'),
  ])('fails as OUTCOME_UNKNOWN once an attempt was sent, whatever comes after: %s', async (later) => {
    const { told } = await called([unanswered, later]);
    expect(told).toMatchObject({ code: 'ERR_MEMPOOL_OUTCOME_UNKNOWN', retryable: true });
  });

  it.each([failure('ERR_MEMPOOL_INVALID'), failure('ERR_MEMPOOL_CORRUPT')])(
    'ends with the answer to its operation id that an attempt after a lost one gets: $code',
    async (answer) => {
      expect((await called([unanswered, answer])).told).toBe(answer);
    },
  );
});

it.each<[string, (Error | string)[], Error | string, number]>([
  ['ends between attempts while nothing was sent', [unsent], reason, 1],
  ['goes on once something was sent', [unanswered, 'done'], 'done', 2],
])('a call whose signal aborts %s (R3)', async (_, answers, told, attempts) => {
  const abort = new AbortController();
  const call = await called(answers, abort.signal, () => abort.abort(reason));
  expect([call.told, call.remaining.length]).toEqual([told, attempts]);
  expect(await called(['never asked'], AbortSignal.abort(reason))).toEqual({ told: reason, remaining: [] });
});
