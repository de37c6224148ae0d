import { isMempoolError } from '../contract/errors.ts';
import type { Claim, ExtendOutcome } from '../contract/pool-verbs.ts';

export interface HeldClaimParts {
  readonly claim: Pick<Claim<unknown>, 'claimId' | 'untilMs'>;
  readonly claimMs: number;
  /** The time of `clock` when `take` was called. */
  readonly askedAt: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  extend(claimId: string, claimMs: number): Promise<ExtendOutcome>;
}

/** A claim is extended each time this part of it is over, so that two extensions may fail. */
const partsOfClaim = 3;

/** A claim of a worker. It extends itself until the worker ends it or the claim is lost. */
export class HeldClaim {
  readonly #parts: HeldClaimParts;
  readonly #ending = new AbortController();
  /** Both clocks at the last answer of the store: the pool's and this process's. */
  #untilMs: number;
  #until: number;
  #timer: NodeJS.Timeout | undefined;
  #isKept = true;

  constructor(parts: HeldClaimParts) {
    this.#parts = parts;
    this.#untilMs = parts.claim.untilMs;
    this.#until = parts.askedAt + parts.claimMs;
    // The answer may have taken long.
    this.#await(Math.max(0, this.#turnMs - (parts.clock() - parts.askedAt)));
  }

  get id(): string {
    return this.#parts.claim.claimId;
  }

  /** Aborts when the claim is lost, or when `stop` is called. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The least time for which the claim still lasts, in milliseconds. If it is negative, the claim may be over. */
  get leftMs(): number {
    return this.#until - this.#parts.clock();
  }

  /** An estimate of the pool's clock. It is ahead by at most the duration of the call that last set the claim's end. */
  get poolTimeMs(): number {
    return Math.ceil(this.#untilMs - this.leftMs);
  }

  /** Stops extending the claim and aborts `signal`, so that handlers under the claim end. */
  stop(reason: unknown): void {
    this.letGo();
    this.#ending.abort(reason);
  }

  /** Stops extending the claim. */
  letGo(): void {
    this.#isKept = false;
    clearTimeout(this.#timer);
  }

  get #turnMs(): number {
    return this.#parts.claimMs / partsOfClaim;
  }

  #await(ms: number): void {
    if (this.#isKept) this.#timer = setTimeout(() => void this.#extend(), ms);
  }

  async #extend(): Promise<void> {
    const askedAt = this.#parts.clock();
    try {
      const outcome = await this.#parts.extend(this.id, this.#parts.claimMs);
      if (outcome.kind === 'ended') {
        this.stop(new Error('the claim has ended'));
        return;
      }
      this.#untilMs = outcome.untilMs;
      this.#until = askedAt + this.#parts.claimMs;
    } catch (error) {
      // The store may be back before the claim is over.
      if (this.leftMs <= 0 || !isMempoolError(error) || !error.retryable) {
        this.stop(error);
        return;
      }
    }
    this.#await(this.#turnMs);
  }
}
