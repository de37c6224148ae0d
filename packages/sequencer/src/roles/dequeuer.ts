import { setTimeout as delay } from 'node:timers/promises';
import { type ClaimedTransaction, type DamagedTransaction, isDamaged, type Mempool } from 'mempool-core';
import { readStored } from '../codec/message.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import type { Submission, SubmissionReason } from '../contract/submission.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';

/** Options of a dequeuer. */
export interface DequeuerOptions {
  /** The name of this worker, 1–128 printable characters. */
  readonly owner: string;
  /**
   * False: the submission is dropped as `rejected`. If it throws, the submission is checked again later. Its signature is right. Default:
   * every submission counts.
   */
  readonly verify?: ((submission: Submission) => boolean | Promise<boolean>) | undefined;
  /** The most submissions taken at once, 1–1,000; default 250. */
  readonly maxTxs?: number | undefined;
  /** How long a claim lasts, in milliseconds; default half of the window, at most 5 minutes. */
  readonly claimMs?: number | undefined;
  /** How long it waits when there is nothing to check, in milliseconds; default 50. */
  readonly idleMs?: number | undefined;
}

type Verdict = 'good' | 'again' | SubmissionReason | 'damaged' | 'failed';
type Taken = ClaimedTransaction | DamagedTransaction;

const longestClaimMs = 300_000;
/** How often a check may fail, such as because a service is down, before the submission is dropped as `failed`. */
const maxAttempts = 10;

/** Checks what the gateway has stored, under a claim: a killed dequeuer's submissions are taken again when its claim ends. */
export class Dequeuer {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #options: DequeuerOptions;

  constructor(namespace: Namespace, options: DequeuerOptions) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#options = options;
  }

  /** Checks until the signal aborts. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    let before = 0;
    while (!signal.aborted) {
      const active = await this.#epochs.active();
      if (active.length < before) await this.#namespace.closeOthers(active);
      before = active.length;
      let checked = 0;
      for (const epoch of active) if (!signal.aborted) checked += await this.step(epoch);
      if (checked === 0) await delay(this.#options.idleMs ?? 50, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Takes submissions of one epoch once, and answers for each. Returns how many it took. */
  async step(epoch: number): Promise<number> {
    const record = await this.#epochs.find(epoch);
    if (record === null) return 0;
    return this.#namespace.withEpoch(record, (pool) => this.#take(pool, record));
  }

  async #take(pool: Mempool, record: EpochRecord): Promise<number> {
    if (!(await pool.hasPending())) return 0;
    const { owner, maxTxs = 250 } = this.#options;
    const claim = await pool.take({ maxTxs }, { owner, claimMs: this.#claimMs(record), payloads: true });
    const verdicts = await this.#judge(record.epoch, claim.transactions);
    for (const [verdict, hashes] of verdicts) await this.#answer(pool, claim.claimId, verdict, hashes);
    return claim.transactions.length;
  }

  #claimMs({ openedAt, closesAt }: EpochRecord): number {
    return this.#options.claimMs ?? Math.max(1_000, Math.min(longestClaimMs, Math.floor((closesAt - openedAt) / 2)));
  }

  /**
   * By verdict. Level 1 is read after the take: the tally waits for what was taken before it began, and what is taken after that
   * is late.
   */
  async #judge(epoch: number, taken: readonly Taken[]): Promise<Map<Verdict, string[]>> {
    const isLate = (await this.#epochs.find(epoch))?.level1 !== 'pending';
    const check = (each: Taken): Verdict | Promise<Verdict> => {
      if (isDamaged(each)) return 'damaged';
      return isLate ? 'late' : this.#check(epoch, each);
    };
    const verdicts = await Promise.all(taken.map(check));
    return Map.groupBy(
      taken.map(({ hash }) => hash),
      (_, i) => verdicts[i] as Verdict,
    );
  }

  async #check(epoch: number, { payload, attempts }: ClaimedTransaction): Promise<Verdict> {
    const submission = readStored(payload);
    if (submission === null || submission.epoch !== epoch) return 'malformed';
    const { verify } = this.#options;
    try {
      return verify === undefined || (await verify(submission)) ? 'good' : 'rejected';
    } catch {
      return attempts < maxAttempts ? 'again' : 'failed';
    }
  }

  /** Passes over what is not under the claim any more: another dequeuer answers for it. */
  async #answer(pool: Mempool, claim: string, verdict: Verdict, hashes: readonly string[]): Promise<void> {
    if (verdict === 'good') await pool.markAcknowledged(hashes, { claim });
    else if (verdict === 'again') await pool.release(hashes, { claim, notBeforeMs: this.#namespace.now() + 250 });
    else if (verdict === 'damaged' || verdict === 'failed') await pool.drop(hashes, verdict, { claim });
    else await pool.drop(hashes, { app: verdict }, { claim });
  }
}
