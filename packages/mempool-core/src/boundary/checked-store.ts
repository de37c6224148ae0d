import {
  type Awaitable,
  after,
  type ChainOptions,
  type ClaimContext,
  type ClaimOptions,
  type DropOptions,
  type LogQuery,
  type ReadOptions,
  type ReleaseOptions,
  type SeqQuery,
  type SubscribeOptions,
  type TipOptions,
  type WriteContext,
  type WriteOptions,
} from '../contract/call-options.ts';
import type { OpenedOptions, StoreDriver } from '../contract/driver.ts';
import type { DropReason } from '../contract/drop-reason.ts';
import type { MempoolEvent } from '../contract/events.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { Limits, Ordering } from '../contract/limits.ts';
import { clampLimit } from '../contract/page-rules.ts';
import type { CheckedCallTime, CheckedSubmission } from '../contract/pool-driver.ts';
import type * as pool from '../contract/pool-verbs.ts';
import type * as records from '../contract/records.ts';
import type * as store from '../contract/store.ts';
import type { StoredTransaction, Transaction, TransactionPage, TransactionStatus } from '../contract/transaction.ts';
import type * as transfer from '../contract/transfer.ts';
import {
  checkBlock,
  checkHashes,
  checkLimit,
  checkReason,
  checkTarget,
  checkWrite,
  distinctHashes,
} from './arguments.ts';
import { checkCount, maxCallTransactions } from './basic-checks.ts';
import { settle, unsupported } from './call-errors.ts';
import { CallRunner } from './call-runner.ts';
import { askedAbout, isChecked } from './checked-once.ts';
import { checkCursor } from './cursors.ts';
import type { DamageNotes } from './damage-notes.ts';
import { checkLimits } from './open-options.ts';
import {
  blockParts,
  fieldsPart,
  guardParts,
  hashesPart,
  pointPart,
  transactionsPart,
  withDigest,
} from './operation-digest.ts';
import { type CallNames, callNames } from './option-names.ts';
import { gossipPage, logPage, usageOf } from './page-answers.ts';
import { payloadsOf, reapFrom, takeFrom } from './payload-calls.ts';
import * as check from './pool-arguments.ts';
import { getRecord, listRecords, putRecord } from './record-calls.ts';
import {
  checkFifoLimits,
  checkFifoSubmissions,
  checkTransactions,
  countTooLarge,
  isTooLarge,
  ownPayloads,
  type ReadSubmission,
  readSubmissions,
  withTooLarge,
} from './submissions.ts';
import { Subscriptions } from './subscriptions.ts';
import { exportLines, importLines } from './transfer-calls.ts';
import { checkName } from './verdicts.ts';

/** Checks the calls of a pool and makes those of its driver. It adds checks, copies, abort, `close` and event streams to a backend's driver. */
export class CheckedStore {
  readonly #calls: CallRunner;
  readonly #subscriptions: Subscriptions;
  #closing: Promise<void> | null = null;

  constructor(
    name: string,
    capabilities: store.Capabilities,
    driver: StoreDriver,
    options: OpenedOptions,
    damage: DamageNotes,
  ) {
    this.#calls = new CallRunner(name, capabilities, driver, options, damage);
    this.#subscriptions = new Subscriptions({
      readEvents: (after, limit) => settle(() => driver.readEvents(after, limit)),
      onEvents: (listener) => driver.onEvents(listener),
    });
  }

  receive(submissions: readonly pool.Submission[], options?: pool.ReceiveOptions): Promise<store.ReceiveOutcome[]> {
    let signal: AbortSignal | undefined;
    try {
      const context = checkWrite(options, callNames.moment);
      const moment = check.checkCallTime(options);
      ({ signal } = context);
      this.#calls.assertOpen(signal);
      return this.#calls.answer(
        this.#calls.mended(() => this.#receive(submissions, askedAbout(options), moment, context)),
        signal,
      );
    } catch (error) {
      return this.#calls.refusal(error, signal);
    }
  }

  get name(): string {
    return this.#calls.name;
  }

  get capabilities(): store.Capabilities {
    return this.#calls.capabilities;
  }

  get ordering(): Ordering {
    return this.#calls.options.ordering;
  }

  async hasPending(options?: ReadOptions): Promise<boolean> {
    const { pending, held, load } = await this.usage(options);
    return pending > (load?.parked ?? held);
  }

  peekPending(query?: SeqQuery): Promise<TransactionPage> {
    return this.#calls.peek(query, (from, limit, context) => this.#calls.driver.peekPending(from, limit, context));
  }

  peekInflight(query?: SeqQuery): Promise<TransactionPage> {
    return this.#calls.peek(query, (from, limit, context) => this.#calls.driver.peekInflight(from, limit, context));
  }

  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]> {
    return this.#move('markInflight', hashes, options, callNames.write);
  }

  markAcknowledged(hashes: readonly string[], options?: ClaimOptions): Promise<string[]> {
    return this.#move('markAcknowledged', hashes, options, callNames.claim);
  }

  release(hashes: readonly string[], options?: ReleaseOptions): Promise<string[]> {
    return this.#move('release', hashes, options, callNames.release);
  }

  drop(hashes: readonly string[], reason: DropReason, options?: DropOptions): Promise<string[]> {
    const run = (context: WriteContext): Awaitable<string[]> => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      const why = checkReason(reason);
      const guarded = this.#guarded(context, options);
      if (guarded.descendants && this.ordering === 'fifo') throw unsupported('a fifo pool knows no descendants');
      if (checked.length === 0) return [];
      const bound = withDigest(guarded, 'drop', () => [hashesPart(checked), why, ...guardParts(guarded)]);
      return this.#calls.driver.drop(checked, why, bound);
    };
    return this.#calls.write(options, run, callNames.drop);
  }

  findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.#calls.read(options, callNames.read, (context) =>
      this.#calls.driver.findInflight(checkHashes('hashes', hashes, maxCallTransactions), context),
    );
  }

  confirm(block: store.Block, policy: store.Policy = {}, options?: ChainOptions): Promise<store.ConfirmOutcome> {
    return this.#calls.underLease(options, (context) => {
      const checked = checkBlock(block, policy, this.#calls.options.thresholds);
      if (this.ordering === 'fifo' && checked.provides.length > 0)
        throw unsupported('a fifo pool does not support tags (block.provides)');
      const bound = withDigest(context, 'confirm', () => blockParts(checked, policy));
      return this.#calls.driver.confirm(checked, bound);
    });
  }

  rollback(target: store.RollbackTarget, options?: ChainOptions): Promise<store.RollbackOutcome> {
    return this.#calls.underLease(options, (context) => {
      const checked = checkTarget(target);
      const bound = withDigest(context, 'rollback', () => [pointPart(checked)]);
      return this.#calls.driver.rollback(checked, bound);
    });
  }

  checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]> {
    return this.#calls.read(options, callNames.read, (context) =>
      this.#calls.driver.checkStatus(checkHashes('hashes', hashes, maxCallTransactions), context),
    );
  }

  dumpFinalized(query?: LogQuery): Promise<store.LogPage> {
    return this.#calls.read(query, callNames.log, (context) => {
      const from = checkCursor('cursor', 'log', query?.cursor);
      const limit = clampLimit(checkLimit(query?.limit));
      const page = this.#calls.driver.dumpFinalized(from.number, limit, context);
      return after(page, (read) => logPage(read, from));
    });
  }

  subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>> {
    return this.#calls.read(options, callNames.subscribe, ({ signal }) => {
      const given = options?.after;
      const from = given === undefined ? null : checkCursor('after', 'events', given);
      return this.#subscriptions.open(from, signal);
    });
  }

  tip(options?: TipOptions): Promise<store.TipAnswer> {
    return this.#calls.read(options, callNames.tip, (context) =>
      this.#calls.driver.tip(checkCount('points', options?.points ?? 0), context),
    );
  }

  usage(options?: ReadOptions): Promise<store.Usage> {
    return this.#calls.read(options, callNames.read, (context) => after(this.#calls.driver.usage(context), usageOf));
  }

  reap(budget: pool.Budget, options: pool.ReapPayloadsOptions): Promise<pool.ReapedTransaction[]>;
  reap(budget?: pool.Budget, options?: pool.ReapOptions): Promise<pool.Candidate[]>;
  reap(budget: pool.Budget = {}, options?: pool.ReapOptions | pool.ReapPayloadsOptions): Promise<pool.Candidate[]> {
    return reapFrom(this.#calls, budget, options);
  }

  best(query?: pool.BestQuery): Promise<pool.RankedCandidate[]> {
    return this.#calls.read(query, callNames.page, (context) => {
      const from = check.checkKey(query?.after);
      return this.#calls.verb('best')(from, clampLimit(checkLimit(query?.limit)), context);
    });
  }

  take(budget: pool.Budget, options: pool.TakePayloadsOptions): Promise<pool.ClaimWithPayloads>;
  take(budget: pool.Budget, options: pool.TakeOptions): Promise<pool.Claim>;
  take(
    budget: pool.Budget,
    options: pool.TakeOptions | pool.TakePayloadsOptions,
  ): Promise<pool.Claim | pool.ClaimWithPayloads> {
    return takeFrom(this.#calls, budget, options);
  }

  extendClaim(claimId: string, claimMs: number, options?: pool.ExtendOptions): Promise<pool.ExtendOutcome> {
    return this.#calls.write(
      options,
      (context) => {
        const extension = check.checkExtension(claimId, claimMs);
        const bound = withDigest(context, 'extendClaim', () => [claimId, claimMs]);
        return this.#calls.verb('extendClaim')(extension, check.checkCallTime(options), bound);
      },
      callNames.moment,
    );
  }

  sweep(options?: pool.SweepOptions): Promise<pool.Sweep> {
    const run = (context: WriteContext): Awaitable<pool.Sweep> => {
      const sweep = check.checkSweep(options);
      const bound = withDigest(context, 'sweep', () => (sweep.overLimits ? ['overLimits'] : []));
      return this.#calls.returning(this.#calls.verb('sweep')(sweep, bound));
    };
    return this.#calls.write(options, run, callNames.sweep);
  }

  since(query?: pool.GossipQuery): Promise<pool.GossipPage> {
    return this.#calls.read(query, callNames.since, (context) => {
      const from = checkCursor('after', 'gossip', query?.after);
      const limit = clampLimit(checkLimit(query?.limit));
      const checked = { ...check.checkGossip(query), after: from.number, limit };
      if (this.ordering === 'fifo' && checked.except !== null)
        throw unsupported('a fifo pool does not support sources (except)');
      const since = this.#calls.verb('since');
      const page = this.#calls.damage.past(
        (place) => since({ ...checked, after: place }, context),
        from.number,
        ({ items }) => items.length === 0,
      );
      return after(page, (read) => gossipPage(read, from));
    });
  }

  payloads(hashes: readonly string[], options?: pool.PayloadsOptions): Promise<(Transaction | null)[]> {
    return payloadsOf(this.#calls, hashes, options);
  }

  peekParked(query?: SeqQuery): Promise<TransactionPage> {
    return this.#calls.peek(query, (from, limit, context) => this.#calls.verb('peekParked')(from, limit, context));
  }

  stale(query: pool.StaleQuery): Promise<pool.StaleTransaction[]> {
    return this.#calls.read(query, callNames.stale, (context) => {
      const height = checkCount('height', query?.height);
      return this.#calls.verb('stale')(height, clampLimit(checkLimit(query.limit)), context);
    });
  }

  bySender(sender: string, query?: pool.SenderQuery): Promise<pool.SenderPage> {
    return this.#calls.read(query, callNames.page, (context) => {
      const whose = checkName('sender', sender, 1);
      const from = check.checkSenderKey(query?.after);
      return this.#calls.verb('bySender')(whose, from, clampLimit(checkLimit(query?.limit)), context);
    });
  }

  byTag(tag: string, query?: pool.TagQuery): Promise<pool.TagPage> {
    return this.#calls.read(query, callNames.tag, (context) =>
      this.#calls.verb('byTag')(check.checkTag(tag), clampLimit(checkLimit(query?.limit)), context),
    );
  }

  dropBySender(sender: string, reason: DropReason, options?: WriteOptions): Promise<pool.SenderDrop> {
    return this.#calls.write(options, (context) => {
      const whose = checkName('sender', sender, 1);
      const why = checkReason(reason);
      const bound = withDigest(context, 'dropBySender', () => [whose, why]);
      return this.#calls.verb('dropBySender')(whose, why, bound);
    });
  }

  revise(revisions: readonly pool.Revision[], options?: pool.ReviseOptions): Promise<pool.ReviseOutcome[]> {
    const run = (context: WriteContext): Awaitable<pool.ReviseOutcome[]> => {
      const checked = check.checkRevisions(revisions);
      const moment = check.checkCallTime(options);
      if (checked.length === 0) return [];
      const bound = withDigest(context, 'revise', () => [hashesPart(checked.map(({ hash }) => hash))]);
      return this.#calls.verb('revise')(checked, moment, bound);
    };
    return this.#calls.write(options, run, callNames.moment);
  }

  flush(options?: WriteOptions): Promise<number> {
    return this.#calls.write(options, (context) => this.#calls.verb('flush')(withDigest(context, 'flush', () => [])));
  }

  setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits> {
    return this.#calls.write(options, (context) => {
      const named = checkLimits(limits);
      if (this.ordering === 'fifo') checkFifoLimits(named);
      const bound = withDigest(context, 'setLimits', () => [fieldsPart(named)]);
      return this.#calls.verb('setLimits')(named, bound);
    });
  }

  export(options?: ReadOptions): AsyncIterable<string> {
    return exportLines(this.#calls, options);
  }

  import(lines: transfer.Lines, options?: transfer.ImportOptions): Promise<transfer.ImportOutcome> {
    return importLines(this.#calls, lines, options);
  }

  getRecord(name: string, options?: ReadOptions): Promise<records.PoolValue | null> {
    return getRecord(this.#calls, name, options);
  }

  putRecord(name: string, value: Uint8Array | null, options?: records.PutOptions): Promise<records.PutOutcome> {
    return putRecord(this.#calls, { name, value }, options);
  }

  listRecords(prefix: string, query?: records.RecordQuery): Promise<records.RecordPage> {
    return listRecords(this.#calls, prefix, query);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await this.#calls.end();
    await this.#subscriptions.drain();
    await settle(() => this.#calls.driver.close());
  }

  #receive(
    submissions: readonly pool.Submission[],
    asked: readonly Transaction[] | undefined,
    moment: CheckedCallTime,
    context: WriteContext,
  ): Awaitable<store.ReceiveOutcome[]> {
    const { maxTxBytes } = this.#calls.options;
    const owned = isChecked<ReadSubmission[]>(submissions);
    const read = owned ? submissions : readSubmissions(submissions);
    const given = this.ordering === 'priority' ? check.checkSubmissions(read) : checkFifoSubmissions(read);
    const larger = owned ? countTooLarge(given, maxTxBytes) : checkTransactions(given, maxTxBytes);
    const fitting = larger === 0 ? given : given.filter((each) => !isTooLarge(each, maxTxBytes));
    const own = owned || this.#calls.driver.copiesPayloads ? fitting : ownPayloads(fitting);
    const outcomes = this.#send(own, asked ?? own, moment, context);
    return larger === 0 ? outcomes : after(outcomes, (told) => withTooLarge(given, told, maxTxBytes));
  }

  /** `named`: the transactions of the call that has this operation id. An id that was used for others is refused (X2). */
  #send(
    given: readonly (ReadSubmission | CheckedSubmission)[],
    named: readonly Transaction[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Awaitable<store.ReceiveOutcome[]> {
    if (given.length === 0 && context.operationId === undefined) return [];
    const bound = withDigest(context, 'receive', () => [transactionsPart(named)]);
    return this.ordering === 'priority'
      ? this.#calls.verb('admit')(given as readonly CheckedSubmission[], moment, bound)
      : this.#calls.driver.receive(given, bound);
  }

  #move(
    verb: MoveVerb,
    hashes: readonly string[],
    options: ReleaseOptions | undefined,
    names: CallNames,
  ): Promise<string[]> {
    const run = (context: WriteContext): Awaitable<string[]> => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      const guarded = this.#guarded(context, options);
      if (checked.length === 0) return [];
      const bound = withDigest(guarded, verb, () => [hashesPart(checked), ...guardParts(guarded)]);
      return this.#calls.returning(this.#calls.driver.move(verb, checked, bound));
    };
    return this.#calls.write(options, run, names);
  }

  /** @throws `ERR_MEMPOOL_UNSUPPORTED` for `claim` or `notBeforeMs` if the driver has no claims */
  #guarded(context: WriteContext, options: (ReleaseOptions & DropOptions) | undefined): ClaimContext {
    const guard = check.checkGuard(options);
    if (guard.claim !== undefined || guard.notBeforeMs !== undefined) this.#calls.verb('extendClaim');
    return { ...context, ...guard };
  }
}
