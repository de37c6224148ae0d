import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedTransaction, Mempool } from 'mempool-core';
import { readStored } from '../codec/message.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import type { Submission, SubmissionReason } from '../contract/submission.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';
import { Answers } from './answers.ts';
import { eachEpoch } from './each-epoch.ts';
import { isInTime } from './waiting.ts';

/** Options of a dequeuer. */
export interface DequeuerOptions {
  /** The name of this worker, 1–128 printable characters. */
  readonly owner: string;
  /**
   * False: the submission is dropped as `rejected`. If it throws, or has not answered when three quarters of the claim are over, the
   * submission is checked again later. Its signature is right. Default: every submission counts.
   */
  readonly verify?: ((submission: Submission) => boolean | Promise<boolean>) | undefined;
  /** The most submissions taken at once, 1–1,000; default 250. */
  readonly maxTxs?: number | undefined;
  /** How long a claim lasts, in milliseconds; default half of the window, at most 5 minutes. */
  readonly claimMs?: number | undefined;
  /** How long it waits when there is nothing to check, in milliseconds; default 50. */
  readonly idleMs?: number | undefined;
}

type Verdict = 'good' | 'again' | SubmissionReason | 'failed';

const longestClaimMs = 300_000;
/** How often a check may fail, such as because a service is down, before the submission is dropped as `failed`. */
const maxAttempts = 10;
/** How long after a submission was taken it may be taken again. */
const againMs = 250;

interface Held {
  readonly claim: string;
  /** By the pool's clock. */
  readonly takenAt: number;
}

/** Checks stored submissions under a claim. The submissions of a killed dequeuer are taken again when its claim ends. */
export class Dequeuer {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #options: DequeuerOptions;
  #overtaken = 0;

  constructor(namespace: Namespace, options: DequeuerOptions) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#options = options;
  }

  /**
   * How many submissions this process has dropped as `late` although they came in time, because the tally had begun. More than 0 means that
   * the store lost writes.
   */
  get overtaken(): number {
    return this.#overtaken;
  }

  /** Checks until the signal aborts. @throws an error of the store */
  run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    return eachEpoch({
      epochs: this.#epochs,
      signal,
      idleMs: this.#options.idleMs ?? 50,
      onEnded: (active) => this.#namespace.closeOthers(active),
      work: async (epoch, until) => (await this.step(epoch, until)) > 0,
    });
  }

  /** Takes submissions of one epoch once, and answers for each. Returns how many it took. A check that the signal ends is made again. */
  async step(epoch: number, signal?: AbortSignal): Promise<number> {
    const record = await this.#epochs.find(epoch);
    if (record === null) return 0;
    return this.#namespace.withEpoch(record, (pool) => this.#take(pool, record, signal));
  }

  async #take(pool: Mempool, record: EpochRecord, signal?: AbortSignal): Promise<number> {
    if (!(await pool.hasPending())) return 0;
    const { owner, maxTxs = 250 } = this.#options;
    const claimMs = this.#claimMs(record);
    const claim = await pool.take({ maxTxs }, { owner, claimMs, payloads: true });
    const held = { claim: claim.claimId, takenAt: claim.untilMs - claimMs };
    const answers = new Answers<Verdict>((verdict, hashes) => answer(pool, held, verdict, hashes));
    const done = new AbortController();
    const signals = signal === undefined ? [done.signal] : [done.signal, signal];
    // The rest of the claim is for the answers.
    const over = delay(claimMs * 0.75, undefined, { signal: AbortSignal.any(signals), ref: false }).catch(
      () => undefined,
    );
    const judge = await this.#judge(record, over);
    await Promise.all(claim.transactions.map(async (each) => answers.give(await judge(each), each.hash)));
    done.abort();
    return claim.transactions.length;
  }

  #claimMs({ openedAt, closesAt }: EpochRecord): number {
    return this.#options.claimMs ?? Math.max(1_000, Math.min(longestClaimMs, Math.floor((closesAt - openedAt) / 2)));
  }

  /**
   * Level 1 is read after the take: the tally waits for submissions that came in time and were taken before it began. After that nothing comes in time
   * any more, unless the store lost writes: then it is late too. `over` resolves when checks that have not answered are given up.
   */
  async #judge(
    { epoch, closesAt }: EpochRecord,
    over: Promise<void>,
  ): Promise<(each: ClaimedTransaction) => Promise<Verdict>> {
    const isOvertaken = isTallied(await this.#epochs.find(epoch));
    return async (each) => {
      if (!isInTime(each, closesAt)) return 'late';
      if (isOvertaken) {
        this.#overtaken += 1;
        return 'late';
      }
      const unchecked = each.attempts < maxAttempts ? 'again' : 'failed';
      const check = this.#check(epoch, each).catch(() => unchecked);
      return Promise.race([check, over.then(() => unchecked)]);
    };
  }

  async #check(epoch: number, { payload }: ClaimedTransaction): Promise<Verdict> {
    const submission = readStored(payload);
    if (submission === null || submission.epoch !== epoch) return 'malformed';
    const { verify } = this.#options;
    return verify === undefined || (await verify(submission)) ? 'good' : 'rejected';
  }
}

/** Before the tally the submissions of an epoch that failed are checked, too, so that each ends for the right reason. */
function isTallied(record: EpochRecord | null): boolean {
  if (record === null) return true;
  return record.level1 === 'failed' ? record.tally !== null : record.level1 !== 'pending';
}

/** Ignores submissions that are not under the claim any more: another dequeuer answers for them. */
async function answer(
  pool: Mempool,
  { claim, takenAt }: Held,
  verdict: Verdict,
  hashes: readonly string[],
): Promise<void> {
  if (verdict === 'good') await pool.markAcknowledged(hashes, { claim });
  else if (verdict === 'again') await pool.release(hashes, { claim, notBeforeMs: takenAt + againMs });
  else if (verdict === 'failed') await pool.drop(hashes, verdict, { claim });
  else await pool.drop(hashes, { app: verdict }, { claim });
}
