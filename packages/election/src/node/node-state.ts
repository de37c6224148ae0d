import type { ElectionEvent, ElectionState, LeaderView, LossReason } from '../contract/events.ts';
import type { HeldLease } from '../contract/lease.ts';
import type { Observation } from '../contract/lease-store.ts';
import { Counters } from './counters.ts';
import type { LeaderSession } from './leader-session.ts';
import { type Decision, LeaseObserver } from './lease-observer.ts';
import { Listeners } from './listeners.ts';
import { NodeIdentity } from './node-identity.ts';
import { RunningWork } from './running-work.ts';
import type { Settings } from './settings.ts';

/** The state of one node. This class makes every change of it and emits the event that reports the change. */
export class NodeState {
  readonly settings: Settings;
  readonly observer: LeaseObserver;
  readonly identity: NodeIdentity;
  readonly listeners: Listeners;
  readonly counters: Counters = new Counters();
  readonly work: RunningWork = new RunningWork();
  #state: ElectionState = 'follower';
  #session: LeaderSession | null = null;
  #latestSession: LeaderSession | null = null;
  #leader: LeaderView | null = null;

  constructor(settings: Settings) {
    this.settings = settings;
    this.observer = new LeaseObserver(settings);
    this.identity = new NodeIdentity(settings.candidate.nodeId);
    this.listeners = new Listeners(settings.log);
  }

  get state(): ElectionState {
    return this.#state;
  }

  /** The present leadership of this node; `null` unless it leads. */
  get session(): LeaderSession | null {
    return this.#session;
  }

  /** The newest leadership. It may be over while its lease is not released yet. */
  get latestSession(): LeaderSession | null {
    return this.#latestSession;
  }

  get leader(): LeaderView | null {
    return this.#leader;
  }

  get term(): number {
    return this.observer.highestTerm;
  }

  /** Prepares a start or a restart. It forgets how long the lease was unchanged, because the lease may have changed meanwhile. */
  begin(onWorkSettled: () => void): void {
    this.observer.forgetStandstill();
    this.identity.forgetDuplicate();
    this.work.onSettled(onWorkSettled);
  }

  become(state: ElectionState): void {
    const from = this.#state;
    this.#state = state;
    if (from !== state) this.#emit({ kind: 'state-changed', from, to: state, term: this.term });
  }

  acquired(session: LeaderSession, lease: HeldLease, forced: HeldLease | null): void {
    this.identity.clearUncertain();
    this.observer.observeOwn(lease);
    this.#session = this.#latestSession = session;
    this.counters.wins += 1;
    this.become('leader');
    if (forced !== null) this.#tookOver(forced, lease.term);
    // Without the token: who has it may write as the leader.
    this.settings.log('info', 'leadership acquired', {
      election: this.settings.name,
      nodeId: lease.nodeId,
      term: lease.term,
    });
    this.#emit({ kind: 'acquired', term: lease.term, token: lease.token });
    this.#setLeader(lease);
  }

  /** Reports the loss of a leadership, after its signal has aborted (rule 7). */
  lost(session: LeaderSession, reason: LossReason): void {
    session.end();
    this.#session = null;
    this.counters.lost(reason, session.ledMs);
    const level = reason === 'resigned' || reason === 'stopped' ? 'info' : 'warn';
    this.settings.log(level, 'leadership lost', { election: this.settings.name, ...session.lease, reason });
    this.#emit({ kind: 'lost', term: session.lease.term, token: session.lease.token, reason });
    this.become('follower');
    this.#setLeader(null);
  }

  failed(error: unknown): void {
    this.#emit({ kind: 'election-failed', term: this.term, error });
  }

  observed(observation: Observation): void {
    const { lease } = observation;
    this.observer.observe(observation);
    if (lease !== null && this.identity.showsConflict(lease)) this.conflict(lease);
    this.#setLeader(lease !== null && this.identity.owns(lease) ? null : lease);
  }

  /** Returns the next step. The leader of `deposedTerm` is replaced even if it is live. */
  decide(deposedTerm: number | null): Decision {
    return this.unconfirmedWin === null
      ? this.observer.decide(deposedTerm)
      : { kind: 'campaign', dataLoss: 'wait', takeover: null };
  }

  /** The lease last seen, if a campaign of this node won it but its answer was lost; else `null`. */
  get unconfirmedWin(): HeldLease | null {
    const { lease } = this.observer;
    return lease !== null && this.identity.mayHaveWon(lease) ? lease : null;
  }

  conflict({ nodeId, term }: HeldLease): void {
    this.counters.identityConflicts += 1;
    this.settings.log('error', 'another live node has the same id', { election: this.settings.name, nodeId });
    this.#emit({ kind: 'identity-conflict', term, nodeId });
  }

  #emit(event: ElectionEvent): void {
    this.listeners.emit(event);
  }

  #tookOver(forced: HeldLease, term: number): void {
    this.counters.forcedTakeovers += 1;
    this.settings.log('warn', 'a lease was taken over', { election: this.settings.name, from: forced.nodeId, term });
    this.#emit({ kind: 'takeover-forced', term, from: viewOf(forced) });
  }

  #setLeader(lease: HeldLease | null): void {
    const before = this.#leader;
    this.#leader = lease && viewOf(lease);
    if (before?.term === lease?.term && before?.nodeId === lease?.nodeId) return;
    this.#emit({ kind: 'leader-changed', term: this.term, leader: this.#leader });
  }
}

function viewOf({ nodeId, address, term, priority }: HeldLease): LeaderView {
  return { nodeId, address, term, priority };
}
