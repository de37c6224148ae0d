import { isMempoolError, MempoolError } from '../contract/errors.ts';
import { type RetryOptions, retryUntil } from './retry.ts';

/** A write that has no answer yet. */
interface PendingWrite {
  readonly number: number;
  /** True if an attempt may have been applied. */
  sent: boolean;
  /** Starts the next attempt; `null` unless the write waits for its turn. */
  go: (() => void) | null;
}

/**
 * Keeps the writes of one node in the order of their calls (M2), for a store that may be busy or unreachable. Normally
 * every write is sent at once. If a write cannot be sent or its answer is lost, later writes wait for it. On a new
 * connection, the first write is sent alone until it is answered, because a server that is still loading may refuse the
 * first of many writes and accept the next.
 */
export class OrderedWriter {
  /** The writes that wait for their turn or pause before their next attempt, in the order of the calls. */
  readonly #held: PendingWrite[] = [];
  #calls = 0;
  #out = 0;
  #trusted = false;
  #distrusts = 0;

  /** Marks the connection as new. The answers of writes that were sent before say nothing about it. */
  distrust(): void {
    this.#trusted = false;
    this.#distrusts += 1;
  }

  /** Runs `attempt` as `retryUntil` does, with the same errors, in the order of the calls. */
  async run<T>(options: RetryOptions, attempt: (remainingMs: number) => Promise<T> | T): Promise<T> {
    const { timeoutMs, clock, signal } = options;
    const deadline = clock() + timeoutMs;
    this.#calls += 1;
    const call: PendingWrite = { number: this.#calls, sent: false, go: null };
    const send = () => this.#send(call, () => attempt(Math.max(1, deadline - clock())));
    try {
      return await retryUntil(options, (remainingMs) =>
        this.#isNext(call) ? send() : this.#wait(call, send, remainingMs, call.sent ? undefined : signal),
      );
    } finally {
      this.#leave(call);
      this.#release();
    }
  }

  #isNext(call: PendingWrite): boolean {
    const first = this.#held[0] ?? call;
    return first === call && (this.#trusted || this.#out === 0);
  }

  async #send<T>(call: PendingWrite, attempt: () => Promise<T> | T): Promise<T> {
    this.#leave(call);
    this.#out += 1;
    let sentAt = this.#distrusts;
    try {
      const answer = attempt();
      sentAt = this.#distrusts;
      const answered = await answer;
      this.#trust(sentAt);
      return answered;
    } catch (error) {
      const lost = isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
      call.sent ||= lost;
      if (lost || isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) {
        this.#trusted = false;
        this.#hold(call);
      } else this.#trust(sentAt);
      throw error;
    } finally {
      this.#out -= 1;
      this.#release();
    }
  }

  #trust(sentAt: number): void {
    if (sentAt === this.#distrusts) this.#trusted = true;
  }

  #wait<T>(
    call: PendingWrite,
    send: () => Promise<T>,
    remainingMs: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    this.#hold(call);
    return new Promise((resolve, reject) => {
      const stop = () => {
        call.go = null;
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const fail = (error: unknown) => {
        stop();
        reject(error);
      };
      const abort = () => fail(signal?.reason);
      const late = () =>
        fail(new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'an earlier write of this node still waits for the store'));
      const timer = setTimeout(late, remainingMs);
      signal?.addEventListener('abort', abort);
      call.go = () => {
        stop();
        resolve(send());
      };
    });
  }

  #hold(call: PendingWrite): void {
    const before = this.#held.findLastIndex(({ number }) => number <= call.number);
    if (this.#held[before] !== call) this.#held.splice(before + 1, 0, call);
  }

  #leave(call: PendingWrite): void {
    const at = this.#held.indexOf(call);
    if (at >= 0) this.#held.splice(at, 1);
  }

  #release(): void {
    for (let first = this.#held[0]; first?.go && this.#isNext(first); first = this.#held[0]) first.go();
  }
}
