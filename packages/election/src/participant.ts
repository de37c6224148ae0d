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
import { runAsLeader } from './leader-work.ts';
import { Engagement } from './loop/engagement.ts';
import type { Settings } from './node/settings.ts';
import { Standing } from './node/standing.ts';

/** One time of taking part, from the call of `start` until `stop` has resolved. */
interface Round {
  readonly engaged: Promise<Engagement>;
  readonly started: Promise<void>;
  stopped: Promise<void> | null;
}

/** The election as its user sees it: starts and stops engagements and reads where the node stands. */
export class Participant implements Election {
  readonly id: string;
  readonly name: string;
  readonly #standing: Standing;
  readonly #open: () => Promise<LeaseStore>;
  #round: Round | null = null;
  /** How often `stop` was called: a start that waits for a stop to end is undone by the next one. */
  #stops = 0;
  /** Aborts when `stop` is called; anew with every start. */
  #halt = new AbortController();
  /** Aborts when `stop` is done, so that a reader of events hears of the loss too. */
  #streams = new AbortController();

  constructor(settings: Settings, open: () => Promise<LeaseStore>) {
    this.id = settings.candidate.nodeId;
    this.name = settings.name;
    this.#standing = new Standing(settings);
    this.#open = open;
  }

  get state(): ElectionState {
    return this.#standing.state;
  }

  get term(): number {
    return this.#standing.term;
  }

  get leader(): LeaderView | null {
    return this.#standing.leader;
  }

  get leadership(): Leadership | null {
    return this.isLeader() ? this.#standing.tenure : null;
  }

  isLeader(): boolean {
    return this.#standing.tenure?.isLeader() ?? false;
  }

  async start(): Promise<void> {
    const stops = this.#stops;
    if (this.#round?.stopped) await this.#round.stopped;
    if (this.#stops !== stops) return;
    this.#round ??= this.#begin();
    const round = this.#round;
    try {
      await round.started;
    } catch (error) {
      // One that is being stopped ends there.
      if (this.#round === round && round.stopped === null) this.#round = null;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stops += 1;
    const round = this.#round;
    if (round === null) return this.#endWaits();
    round.stopped ??= this.#end(round);
    return round.stopped;
  }

  async resign(): Promise<void> {
    this.#standing.tenure?.part('resigned');
    await this.#standing.latest?.closed;
  }

  async campaign(): Promise<boolean> {
    const engagement = await this.#engaged();
    if (!this.isLeader()) await engagement.ask();
    return this.isLeader();
  }

  async depose(term: number): Promise<boolean> {
    if (!Number.isSafeInteger(term)) throw badOption('term', 'a whole number');
    const engagement = await this.#engaged();
    if (!this.isLeader()) await engagement.depose(term);
    return this.isLeader();
  }

  on<K extends ElectionEventKind>(kind: K, listener: (event: ElectionEventOf<K>) => unknown): () => void {
    if (!Object.hasOwn(eventKinds, kind)) throw badOption('kind', `one of ${Object.keys(eventKinds).join(', ')}`);
    checkFunction('listener', listener);
    return this.#standing.listeners.on(kind, listener);
  }

  events(options: WithSignal = {}): AsyncIterable<ElectionEvent> {
    const signal = signalOf(options);
    return new EventQueue((push) => this.#standing.listeners.onAny(push), [signal, this.#streams.signal]);
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
    const answer = await (await this.#engaged()).store.members();
    if (answer.kind === 'answer') return answer.value;
    throw answer.error;
  }

  metrics(): ElectionMetrics {
    return this.#standing.counters.read(this.term, this.#standing.tenure);
  }

  async runAsLeader<T>(work: LeaderWork<T>, options: WithSignal = {}): Promise<T> {
    checkFunction('work', work);
    const signal = signalOf(options);
    const halt = this.#halt.signal;
    return runAsLeader(this.#standing, work, signal === undefined ? halt : AbortSignal.any([signal, halt]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #begin(): Round {
    if (this.#halt.signal.aborted) this.#halt = new AbortController();
    const engaged = this.#engage();
    return { engaged, started: engaged.then((engagement) => engagement.firstLook), stopped: null };
  }

  async #engage(): Promise<Engagement> {
    return new Engagement(this.#standing, await this.#open());
  }

  async #end({ engaged }: Round): Promise<void> {
    this.#halt.abort(stopped());
    const engagement = await engaged.catch(() => null);
    await engagement?.stop();
    this.#round = null;
    this.#endWaits();
  }

  #endWaits(): void {
    this.#halt.abort(stopped());
    this.#streams.abort();
    this.#streams = new AbortController();
  }

  async #engaged(): Promise<Engagement> {
    if (this.#round === null || this.#round.stopped !== null) throw stopped();
    return this.#round.engaged;
  }
}

function stopped(): ElectionError {
  return new ElectionError('ERR_ELECTION_STOPPED', 'the election is stopped');
}
