import { checkFunction, signalOf, type WithSignal } from './arguments.ts';
import type { Election, LeaderWork } from './contract/election.ts';
import { badOption, ElectionError } from './contract/errors.ts';
import {
  type ElectionEvent,
  type ElectionEventKind,
  type ElectionEventOf,
  type ElectionState,
  eventKinds,
  type LeaderView,
} from './contract/events.ts';
import type { Leadership } from './contract/leadership.ts';
import type { Member } from './contract/lease.ts';
import type { LeaseStore } from './contract/lease-store.ts';
import type { ElectionMetrics } from './contract/metrics.ts';
import { EventQueue } from './event-queue.ts';
import { ElectionLoop } from './loop/election-loop.ts';
import { NodeState } from './node/node-state.ts';
import type { Settings } from './node/settings.ts';
import { runAsLeader } from './run-as-leader.ts';

/** One run, from the call of `start` until `stop` has resolved. */
interface Run {
  readonly loop: Promise<ElectionLoop>;
  readonly started: Promise<void>;
  stopped: Promise<void> | null;
}

/** The implementation of `Election`: starts and stops election loops, and reads the state of the node. */
export class NodeElection implements Election {
  readonly id: string;
  readonly name: string;
  readonly #node: NodeState;
  readonly #open: () => Promise<LeaseStore>;
  #run: Run | null = null;
  /** Number of calls of `stop`: another one cancels a `start` that waits for the `stop` before. */
  #stops = 0;
  /** Aborts when `stop` is called; a new one with every start. */
  #halt = new AbortController();
  /** Aborts when `stop` is done, so that a reader of events still gets the loss. */
  #streams = new AbortController();

  constructor(settings: Settings, open: () => Promise<LeaseStore>) {
    this.id = settings.candidate.nodeId;
    this.name = settings.name;
    this.#node = new NodeState(settings);
    this.#open = open;
  }

  get state(): ElectionState {
    return this.#node.state;
  }

  get term(): number {
    return this.#node.term;
  }

  get leader(): LeaderView | null {
    return this.#node.leader;
  }

  get leadership(): Leadership | null {
    return this.isLeader() ? this.#node.session : null;
  }

  isLeader(): boolean {
    return this.#node.session?.isLeader() ?? false;
  }

  async start(): Promise<void> {
    const stops = this.#stops;
    if (this.#run?.stopped) await this.#run.stopped;
    if (this.#stops !== stops) return;
    this.#run ??= this.#begin();
    const run = this.#run;
    try {
      await run.started;
    } catch (error) {
      // Otherwise `stop` ends the run.
      if (this.#run === run && run.stopped === null) this.#run = null;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stops += 1;
    const run = this.#run;
    if (run === null) return this.#endWaits();
    run.stopped ??= this.#end(run);
    return run.stopped;
  }

  async resign(): Promise<void> {
    this.#node.session?.drain('resigned');
    await this.#node.latestSession?.closed;
  }

  async campaign(): Promise<boolean> {
    this.#mayLead();
    const loop = await this.#running();
    if (!this.isLeader()) await loop.campaign();
    return this.isLeader();
  }

  async depose(term: number): Promise<boolean> {
    if (!Number.isSafeInteger(term)) throw badOption('term', 'a whole number');
    this.#mayLead();
    const loop = await this.#running();
    if (!this.isLeader()) await loop.depose(term);
    return this.isLeader();
  }

  on<K extends ElectionEventKind>(kind: K, listener: (event: ElectionEventOf<K>) => unknown): () => void {
    if (!Object.hasOwn(eventKinds, kind)) throw badOption('kind', `one of ${Object.keys(eventKinds).join(', ')}`);
    checkFunction('listener', listener);
    return this.#node.listeners.on(kind, listener);
  }

  events(options: WithSignal = {}): AsyncIterable<ElectionEvent> {
    const signal = signalOf(options);
    return new EventQueue((push) => this.#node.listeners.onAny(push), [signal, this.#streams.signal]);
  }

  observe(options: WithSignal = {}): AsyncIterable<LeaderView | null> {
    const signal = signalOf(options);
    const subscribe = (push: (leader: LeaderView | null) => void) => {
      push(this.leader);
      return this.on('leader-changed', ({ leader }) => push(leader));
    };
    return new EventQueue(subscribe, [signal, this.#streams.signal]);
  }

  async members(): Promise<Member[]> {
    return (await this.#running()).members();
  }

  metrics(): ElectionMetrics {
    return this.#node.counters.read(this.term, this.#node.session);
  }

  async runAsLeader<T>(work: LeaderWork<T>, options: WithSignal = {}): Promise<T> {
    checkFunction('work', work);
    this.#mayLead();
    const signal = signalOf(options);
    const halt = this.#halt.signal;
    return runAsLeader(this.#node, work, signal === undefined ? halt : AbortSignal.any([signal, halt]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #mayLead(): void {
    if (this.#node.settings.observer) throw badOption('observer', 'false in a node that is to lead');
  }

  #begin(): Run {
    if (this.#halt.signal.aborted) this.#halt = new AbortController();
    const loop = this.#openLoop();
    return { loop, started: loop.then(({ firstLook }) => firstLook), stopped: null };
  }

  async #openLoop(): Promise<ElectionLoop> {
    return new ElectionLoop(this.#node, await this.#open());
  }

  async #end({ loop }: Run): Promise<void> {
    this.#halt.abort(stopped());
    const opened = await loop.catch(() => null);
    await opened?.stop();
    this.#run = null;
    this.#endWaits();
  }

  #endWaits(): void {
    this.#halt.abort(stopped());
    this.#streams.abort();
    this.#streams = new AbortController();
  }

  async #running(): Promise<ElectionLoop> {
    if (this.#run === null || this.#run.stopped !== null) throw stopped();
    return this.#run.loop;
  }
}

function stopped(): ElectionError {
  return new ElectionError('ERR_ELECTION_STOPPED', 'the election is stopped');
}
