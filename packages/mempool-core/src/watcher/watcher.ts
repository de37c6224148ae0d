import type { Leadership } from '../contract/lease.ts';
import type { Block } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { ChainRing, everyPoint } from './chain-ring.ts';
import type { SourceStep } from './chain-source.ts';
import { GrowingPause } from './growing-pause.ts';
import { LeaderSession, resignFrom } from './leader-session.ts';
import { ProgressMonitor } from './progress-monitor.ts';
import { SourceFollower, type SourceListener } from './source-follower.ts';
import {
  type ResolvedWatcherOptions,
  resolveWatcherOptions,
  type WatcherEvent,
  type WatcherEventKind,
  type WatcherEventOf,
  type WatcherOptions,
} from './watcher-options.ts';

type Listener = (event: WatcherEvent) => unknown;

/** A standby reads the pool's tip once in so many blocks. */
const blocksPerLook = 32;
const firstRetryMs = 500;

/**
 * Connects an election, a pool and a chain source. The leader applies the chain to the pool. Every other node keeps the
 * blocks that it sees, so that no block is lost when the leader changes. After `start` the watcher follows the chain
 * from the pool's tip.
 */
export class Watcher implements AsyncDisposable {
  readonly #options: ResolvedWatcherOptions;
  readonly #listeners = new Map<WatcherEventKind, Set<Listener>>();
  readonly #following: SourceFollower;
  #running: { readonly ending: AbortController; readonly ended: Promise<unknown> } | null = null;
  /** The chain as this node sees it; `null` until the source has answered. */
  #chain: ChainRing | null = null;
  #session: LeaderSession | null = null;
  /** The points to ask the source for next, set by a session that lacks blocks. */
  #asked: readonly ChainPoint[] | null = null;
  /** The points that the source was asked for last. */
  #sought: readonly ChainPoint[] = [];
  /** The slot up to which this node has seen the chain, whatever blocks it still keeps. */
  #seenSlot = 0;
  #kept = 0;
  /** The last task in the queue. Tasks that use the chain and the pool run one at a time. */
  #turns: Promise<unknown> = Promise.resolve();
  #resigning: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | null = null;
  /** True if `start` was called while the watcher was stopping. */
  #restarting = false;

  /** Makes a watcher that does nothing before `start`. @throws `ERR_MEMPOOL_INVALID` naming the option */
  constructor(options: WatcherOptions) {
    this.#options = resolveWatcherOptions(options);
    this.#following = new SourceFollower(this.#options.source, this.#follower(), this.#options.log);
  }

  /** Follows the chain and waits for the leadership. It does not start the election. A second call does nothing. */
  async start(): Promise<void> {
    if (this.#stopping === null) return this.#run();
    this.#restarting = true;
    await this.#stopping;
    // A later `stop` wins.
    if (this.#restarting) this.#run();
  }

  /**
   * Stops following the chain and leading, and waits for the pool call that is under way. It does not stop the election.
   * Stop that too, because otherwise this node may lead without applying blocks. A second call does nothing more.
   */
  stop(): Promise<void> {
    this.#restarting = false;
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = null;
    });
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #run(): void {
    this.#restarting = false;
    if (this.#running !== null) return;
    const ending = new AbortController();
    const { signal } = ending;
    const watch = new ProgressMonitor(this.#options).keep(signal, () =>
      this.#leading() ? null : (this.#chain?.end ?? null),
    );
    const ended = Promise.all([this.#following.run(signal), this.#lead(signal), watch]);
    this.#running = { ending, ended };
  }

  async #stop(): Promise<void> {
    this.#running?.ending.abort();
    await this.#running?.ended;
    await this.#resigning;
    this.#running = null;
  }

  /** Calls `listener` at every event of the kind. It may be asynchronous. Returns a function that removes it. */
  on<K extends WatcherEventKind>(kind: K, listener: (event: WatcherEventOf<K>) => unknown): () => void {
    const own: Listener = (event) => listener(event as WatcherEventOf<K>);
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners.add(own));
    return () => void listeners.delete(own);
  }

  /** If the election or the work ends, the election is asked again. This node never stops silently. */
  async #lead(ending: AbortSignal): Promise<void> {
    const { election, log } = this.#options;
    for (const pause = new GrowingPause(); !ending.aborted; await pause.wait(ending)) {
      try {
        await election.runAsLeader(
          (signal, term, leadership) => {
            pause.reset();
            return this.#work(AbortSignal.any([signal, ending]), ending, term, leadership);
          },
          { signal: ending },
        );
      } catch (error) {
        if (!ending.aborted) log('warn', 'the election ended', { error });
      }
    }
    // Wait for work that is still under way: it ends with its signal.
    await this.#turn(async () => undefined);
  }

  /** Leads until the leadership ends and the pool call under way has ended. */
  async #work(signal: AbortSignal, ending: AbortSignal, term: number, leadership: Leadership): Promise<void> {
    const { pool, policy, ringSize, log } = this.#options;
    log('info', 'acquired watcher lock', { term });
    const resign = (): void => this.#resign(signal);
    const emit = (event: WatcherEvent): void => this.#emit(event);
    const session = new LeaderSession({ pool, policy, ringSize, log, term, leadership, signal, ending, emit, resign });
    this.#session = session;
    try {
      await this.#syncUntil(signal, session);
    } finally {
      // When the election releases the lease, no call of this session is under way.
      await this.#turn(async () => undefined);
      if (this.#session === session) this.#session = null;
    }
  }

  /** A call that the pool refuses while this node leads is tried again, even if no other block arrives. */
  async #syncUntil(signal: AbortSignal, session: LeaderSession): Promise<void> {
    for (const pause = new GrowingPause(firstRetryMs); !signal.aborted; await pause.wait(signal)) {
      await this.#turn(() => this.#sync(session));
      if (!session.isRefused) pause.reset();
      await session.refused;
    }
  }

  #follower(): SourceListener {
    const inTurn = (signal: AbortSignal, run: () => Promise<void>): Promise<void> =>
      this.#turn(async () => (signal.aborted ? undefined : run()));
    return {
      begin: (signal) => this.#begin(signal),
      unknown: (signal) => inTurn(signal, () => this.#unknown()),
      begun: (point, signal) => inTurn(signal, () => this.#begun(point)),
      take: (step, signal) => inTurn(signal, () => this.#take(step, signal)),
    };
  }

  async #begin(signal: AbortSignal): Promise<readonly ChainPoint[]> {
    this.#sought = this.#asked ?? (await this.#lastPoints(signal));
    return this.#sought;
  }

  async #lastPoints(signal: AbortSignal): Promise<readonly ChainPoint[]> {
    const seen = this.#chain === null ? [] : [...this.#chain.points()].filter((point) => point !== null);
    if (seen.length > 0) return seen;
    this.#chain = null;
    return (await this.#options.pool.tip({ points: everyPoint, signal })).points;
  }

  /** The source may have forgotten points that this node saw. It must know the points that the pool has applied. */
  async #unknown(): Promise<void> {
    const points = this.#asked === null && this.#chain !== null ? 'seen' : 'applied';
    this.#options.log('warn', 'the chain source knows none of the points', { points });
    this.#forget();
    // An empty source does not contradict an empty pool.
    const [newest] = this.#sought;
    if (points === 'applied' && newest !== undefined) await this.#leading()?.disown(newest);
  }

  /** The source is next asked for the blocks after the pool's points. */
  #forget(): void {
    this.#asked = null;
    this.#chain = null;
    this.#seenSlot = 0;
  }

  async #begun(point: ChainPoint | null): Promise<void> {
    const fresh = this.#asked !== null || this.#chain === null;
    const empty = this.#sought.length === 0;
    this.#asked = null;
    if (fresh) this.#chain = new ChainRing(this.#options.ringSize, point, empty ? point : null);
    // This alone undoes nothing in the pool: the source may now be behind its earlier state.
    else this.#chain?.cut(point);
    const session = this.#leading();
    if (session !== null) await this.#sync(session);
  }

  async #take(step: SourceStep, signal: AbortSignal): Promise<void> {
    const chain = this.#chain;
    if (chain === null) return;
    switch (step.kind) {
      case 'apply':
        return this.#grow(chain, step.block, signal);
      case 'undo':
        return this.#shrink(chain, step.point, signal);
    }
  }

  async #grow(chain: ChainRing, block: Block, signal: AbortSignal): Promise<void> {
    const { point, parent } = block;
    const { end } = chain;
    if (chain.has(point) || (parent !== undefined && end !== null && parent !== end.hash))
      throw new Error('a block does not follow the previous block');
    chain.push(point, block);
    this.#seenSlot = Math.max(this.#seenSlot, point.slot);
    const session = this.#leading();
    if (session === null) return this.#keep(chain, point, signal);
    await this.#sync(session);
    if (!session.isRefused) session.reportProgress();
  }

  async #keep(chain: ChainRing, point: ChainPoint, signal: AbortSignal): Promise<void> {
    this.#options.log('debug', 'not watcher, skipping confirm', { ...point });
    this.#emit({ kind: 'skipped', point });
    this.#kept += 1;
    if (this.#kept % blocksPerLook === 0) await this.#look(chain, signal);
  }

  async #shrink(chain: ChainRing, point: ChainPoint | null, signal: AbortSignal): Promise<void> {
    const session = this.#leading();
    // A pool at the old end of the chain is rolled back with it. Any other pool waits for the other branch.
    if (session !== null && !session.isLevel(chain)) await this.#sync(session);
    if (signal.aborted) return;
    const level = session !== null && !session.isOver && session.isLevel(chain);
    chain.cut(point);
    this.#seenSlot = Math.min(this.#seenSlot, point?.slot ?? 0);
    if (level) await session.undo(chain);
  }

  async #sync(session: LeaderSession): Promise<void> {
    if (this.#chain === null || session.isOver || this.#asked !== null) return;
    const progress = await session.sync(this.#chain);
    switch (progress.kind) {
      case 'settled':
        return session.readyFrom(this.#seenSlot);
      case 'ask':
        if (session.isOver) return;
        this.#asked = progress.points;
        return this.#following.again();
      case 'behind':
      case 'stopped':
        return;
    }
  }

  /** Reads the pool's tip. A standby does not need the blocks that the pool has applied: it keeps only their points. */
  async #look(chain: ChainRing, signal: AbortSignal): Promise<void> {
    const { pool, log } = this.#options;
    try {
      const { point } = await pool.tip({ signal });
      if (point !== null) chain.strip(point);
    } catch (error) {
      if (!signal.aborted) log('debug', 'the tip of the pool could not be read', { error });
    }
  }

  #leading(): LeaderSession | null {
    return this.#session === null || this.#session.isOver ? null : this.#session;
  }

  /** Gives up the leadership. The chain seen so far may be wrong, so it is not kept. */
  #resign(signal: AbortSignal): void {
    const { election, log } = this.#options;
    this.#forget();
    this.#following.again();
    this.#resigning = resignFrom(election, signal, log);
  }

  #turn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turns.then(run);
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  #emit(event: WatcherEvent): void {
    for (const listener of [...(this.#listeners.get(event.kind) ?? [])]) void this.#tell(listener, event);
  }

  /** An error in a listener does not stop the watcher. */
  async #tell(listener: Listener, event: WatcherEvent): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      this.#options.log('warn', 'a listener failed', { kind: event.kind, error });
    }
  }
}
