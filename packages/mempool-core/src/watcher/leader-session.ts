import { randomUUID } from 'node:crypto';
import type { ChainOptions } from '../contract/call-options.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { Leadership } from '../contract/lease.ts';
import type { Logger } from '../contract/options.ts';
import type { Block } from '../contract/store.ts';
import type { ChainPoint, Tip } from '../contract/transaction.ts';
import { ChainRing, everyPoint, sameEnd } from './chain-ring.ts';
import { GrowingPause } from './growing-pause.ts';
import { reconcile, type SyncPlan } from './reconcile.ts';
import type { ResolvedWatcherOptions, WatcherElection, WatcherEvent } from './watcher-options.ts';

/** The state of the pool after a sync. */
export type Progress =
  /** The pool is at the end of the chain that this node has seen. */
  | { readonly kind: 'settled' }
  /** The chain that this node has seen ends before the oldest point of the pool, so they cannot be compared. */
  | { readonly kind: 'behind' }
  /** Blocks are missing. Ask the source for the blocks after the newest of these points that it knows (newest first). */
  | { readonly kind: 'ask'; readonly points: readonly ChainPoint[] }
  /** The pool is not at the end of the chain, because the leadership is over or the pool refused. The seen blocks are kept. */
  | { readonly kind: 'stopped' };

/** Options of `LeaderSession`. */
export interface LeaderSessionOptions extends Pick<ResolvedWatcherOptions, 'pool' | 'policy' | 'ringSize' | 'log'> {
  readonly term: number;
  readonly leadership: Leadership;
  /** Aborts when the leadership is over. */
  readonly signal: AbortSignal;
  /** Aborts when the whole watcher stops. Calls that stop for this reason are not reported as skipped blocks. */
  readonly ending: AbortSignal;
  readonly emit: (event: WatcherEvent) => void;
  readonly resign: () => void;
}

/** The result of one call. `astray`: the tip was not the expected one. `stopped`: no more calls for now. */
type Done = 'done' | 'astray' | 'stopped';

/** A call as the log names it. */
interface PoolCall {
  readonly verb: 'confirm' | 'rollback' | 'tip';
  readonly point: ChainPoint | null;
}

/** How often in a row the pool may contradict its own tip. */
const maxRounds = 3;
const settled: Progress = { kind: 'settled' };
const stopped: Progress = { kind: 'stopped' };

/**
 * One leadership of this node. While the lease is valid, it applies the chain to the pool, block by block, with one call at
 * a time.
 */
export class LeaderSession {
  readonly #options: LeaderSessionOptions;
  /** The points that the pool has applied; `null` if its tip must be read. */
  #applied: ChainRing | null = null;
  #tip: Tip = { point: null, tick: 0 };
  #givenUp = false;
  #ready = false;
  #refusal = Promise.withResolvers<void>();
  #refused = false;

  constructor(options: LeaderSessionOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#refusal.resolve(), { once: true });
  }

  /** True if this session will apply no more blocks. */
  get isOver(): boolean {
    return this.#givenUp || this.#options.signal.aborted;
  }

  /** True if the last call was refused, by the pool's fence or because `isLeader()` was false. */
  get isRefused(): boolean {
    return this.#refused;
  }

  /** Resolves when a call is refused, or when the leadership is over. */
  get refused(): Promise<void> {
    return this.#refusal.promise;
  }

  /** True if the pool was last seen at the end of this chain. */
  isLevel(chain: ChainRing): boolean {
    return this.#applied !== null && sameEnd(this.#applied.end, chain.end);
  }

  /** Undoes the pool's blocks that are not on the chain, then applies the chain's blocks that the pool lacks. */
  async sync(chain: ChainRing): Promise<Progress> {
    this.#tryAgain();
    for (let round = 0; round < maxRounds; round++) {
      const applied = this.#applied ?? (await this.#readTip(chain.end));
      if (applied === null) return stopped;
      const plan = reconcile(chain, applied);
      switch (plan.kind) {
        case 'read':
          this.#applied = null;
          continue;
        case 'behind':
          return plan;
        case 'ask':
          return { kind: 'ask', points: [...applied.points()].filter((point) => point !== null) };
        case 'wait':
          return settle(chain, plan.common);
      }
      const done = await this.#apply(plan, applied);
      if (done === 'stopped') return stopped;
      if (done === 'done') return settle(chain, applied.end);
    }
    this.#failed(new Error('the pool contradicts its own tip'));
    return stopped;
  }

  /** Rolls the pool back to the new end of the chain. The pool was at the old end of the chain. */
  async undo(chain: ChainRing): Promise<void> {
    const applied = this.#applied;
    if (applied === null || sameEnd(applied.end, chain.end)) return;
    const toBeginning = chain.end === null || sameEnd(chain.end, chain.beginning);
    await (toBeginning ? this.#rollbackAll(applied) : this.#rollback(chain.end, applied));
  }

  /** Handles a source that knows neither this point nor an older one. It has another chain, unless the pool has moved since. */
  async disown(newest: ChainPoint): Promise<void> {
    const applied = await this.#readTip(newest);
    if (applied !== null && sameEnd(applied.end, newest)) this.#diverge();
  }

  /** Emits `ready` once, when the pool's tip has reached the slot up to which this node has seen the chain. */
  readyFrom(seenSlot: number): void {
    const { emit, term } = this.#options;
    if (this.#ready || this.isOver || (this.#tip.point?.slot ?? 0) < seenSlot) return;
    this.#ready = true;
    emit({ kind: 'ready', tip: this.#tip, term });
  }

  /** Reports to the election that the work makes progress. */
  reportProgress(): void {
    this.#options.leadership.reportProgress();
  }

  /** The pool and the source have no block in common: this gives up the leadership. */
  #diverge(): 'stopped' {
    const { log, emit, resign, term } = this.#options;
    this.#givenUp = true;
    log('error', 'the pool and the chain source have no block in common', { term, ...this.#tip.point });
    emit({ kind: 'diverged', tip: this.#tip, term });
    resign();
    return 'stopped';
  }

  async #apply({ from, blocks }: Extract<SyncPlan, { kind: 'apply' }>, applied: ChainRing): Promise<Done> {
    let done: Done = sameEnd(from, applied.end) ? 'done' : await this.#rollback(from, applied);
    for (const block of blocks) if (done === 'done') done = await this.#confirm(block, applied);
    return done;
  }

  async #confirm(block: Block, applied: ChainRing): Promise<Done> {
    const { pool, policy } = this.#options;
    const call: PoolCall = { verb: 'confirm', point: block.point };
    // With a parent the pool checks that no other block came between, even if the source names no parent (X3).
    const checked = { ...block, parent: block.parent ?? applied.end?.hash };
    const outcome = await this.#call(call, (options) => pool.confirm(checked, policy, options));
    switch (outcome?.kind) {
      case undefined:
        return 'stopped';
      case 'applied':
        return this.#grown(call, applied, block.point, outcome.tip);
      case 'fenced':
        return this.#fenced(call);
      case 'duplicate':
      case 'gap':
        return this.#astray(call, outcome.kind);
    }
  }

  /**
   * A pool without a tip accepts any parent (X3). A pool that lost its blocks therefore takes the next block as its
   * first, and that block is undone here.
   */
  async #grown(call: PoolCall, applied: ChainRing, point: ChainPoint, tip: Tip): Promise<Done> {
    const isNext = tip.tick === this.#tip.tick + 1;
    applied.push(point, null);
    const done = this.#moved('applied', tip);
    if (isNext) return done;
    if (tip.tick === 1 && (await this.#rollback(null, applied)) === 'stopped') return 'stopped';
    return this.#astray(call, 'emptied');
  }

  async #rollback(point: ChainPoint | null, applied: ChainRing): Promise<Done> {
    const { pool } = this.#options;
    const call: PoolCall = { verb: 'rollback', point };
    const outcome = await this.#call(call, (options) => pool.rollback(point ?? 'origin', options));
    switch (outcome?.kind) {
      case undefined:
        return 'stopped';
      case 'rolled-back':
        applied.cut(point);
        return this.#moved('undone', outcome.tip);
      case 'fenced':
        return this.#fenced(call);
      case 'unknown-point':
        return this.#diverge();
      case 'unchanged':
        return this.#astray(call, outcome.kind);
    }
  }

  /**
   * Undoes all blocks, if the pool still keeps all its points. Otherwise the pool would keep older blocks and get the
   * chain's first blocks on top of them.
   */
  async #rollbackAll(applied: ChainRing): Promise<Done> {
    const { pool } = this.#options;
    const { tick, point } = this.#tip;
    const answer = await this.#call({ verb: 'tip', point }, ({ signal }) => pool.tip({ points: tick, signal }));
    if (answer === null) return 'stopped';
    return answer.points.length === tick ? this.#rollback(null, applied) : this.#diverge();
  }

  #moved(kind: 'applied' | 'undone', tip: Tip): Done {
    const { emit, term } = this.#options;
    this.#tip = tip;
    emit({ kind, tip, term });
    this.reportProgress();
    return 'done';
  }

  /**
   * Makes a call and repeats it after retryable errors. If the leadership is over or the pool fails for good, it
   * reports this and returns `null`.
   */
  async #call<T>(call: PoolCall, run: (options: ChainOptions) => Promise<T>): Promise<T | null> {
    const { leadership, signal, log } = this.#options;
    const options = { lease: leadership.lease, signal, operationId: randomUUID() };
    for (const pause = new GrowingPause(); ; await pause.wait(signal)) {
      if (signal.aborted || !leadership.isLeader()) return this.#lost(call);
      try {
        return await run(options);
      } catch (error) {
        if (signal.aborted) return this.#lost(call);
        if (!isMempoolError(error) || !error.retryable) return this.#failed(error);
        log('warn', 'the pool did not answer, trying again', { code: error.code, ...fields(call) });
      }
    }
  }

  async #readTip(point: ChainPoint | null): Promise<ChainRing | null> {
    const { pool, ringSize } = this.#options;
    const answer = await this.#call({ verb: 'tip', point }, ({ signal }) => pool.tip({ points: everyPoint, signal }));
    if (answer === null) return null;
    this.#tip = { point: answer.point, tick: answer.tick };
    this.#applied = ChainRing.of(ringSize, answer.points);
    return this.#applied;
  }

  #tryAgain(): void {
    if (!this.#refused || this.isOver) return;
    this.#refused = false;
    this.#refusal = Promise.withResolvers();
  }

  #refuse(): void {
    this.#applied = null;
    this.#refused = true;
    this.#refusal.resolve();
  }

  #lost(call: PoolCall): null {
    const { log, emit, ending, term } = this.#options;
    this.#refuse();
    if (ending.aborted) return null;
    log('warn', 'lost watcher lock, skipping confirm', { term, ...fields(call) });
    if (call.verb === 'confirm' && call.point !== null) emit({ kind: 'skipped', point: call.point });
    return null;
  }

  /**
   * Applies nothing more for now. If the leadership is still good later, the tip is read again and the pool is asked
   * again. This happens when a store that lost its data gets the lease back.
   */
  #fenced(call: PoolCall): Done {
    const { log, emit, term } = this.#options;
    this.#refuse();
    log('warn', 'lost watcher lock, skipping confirm', { term, ...fields(call) });
    emit({ kind: 'fenced', point: call.point, term });
    return 'stopped';
  }

  #astray(call: PoolCall, outcome: string): Done {
    const { log, term } = this.#options;
    this.#applied = null;
    log('warn', 'the pool has an unexpected tip, reading it again', { term, outcome, ...fields(call) });
    return 'astray';
  }

  #failed(error: unknown): null {
    const { log, emit, resign, term } = this.#options;
    this.#givenUp = true;
    log('error', 'the pool failed, giving up the leadership', { term, error });
    emit({ kind: 'failed', error, term });
    resign();
    return null;
  }
}

/** The pool has all blocks up to this point, so their content is no longer needed. */
function settle(chain: ChainRing, common: ChainPoint | null): Progress {
  if (common !== null) chain.strip(common);
  return settled;
}

function fields({ verb, point }: PoolCall): Record<string, unknown> {
  return { verb, slot: point?.slot ?? null, hash: point?.hash ?? null };
}

/** Gives up the leadership. If `resign` fails, it is called again until the leadership is over. */
export async function resignFrom(election: WatcherElection, signal: AbortSignal, log: Logger): Promise<void> {
  for (const pause = new GrowingPause(); !signal.aborted; await pause.wait(signal)) {
    try {
      return await election.resign();
    } catch (error) {
      log('warn', 'the election did not resign', { error });
    }
  }
}
