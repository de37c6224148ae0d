import type { ElectionEvent, ElectionState, LeaderView, LossReason } from '../contract/events.ts';
import type { HeldLease } from '../contract/lease.ts';
import type { Observation } from '../contract/lease-store.ts';
import { Counters } from './counters.ts';
import { Identity } from './identity.ts';
import { Listeners } from './listeners.ts';
import type { Settings } from './settings.ts';
import { type Conclusion, Sightings } from './sightings.ts';
import type { Tenure } from './tenure.ts';
import { Works } from './works.ts';

/** Where a node stands, and the one place where that changes and is told. */
export class Standing {
  readonly settings: Settings;
  readonly sightings: Sightings;
  readonly identity: Identity;
  readonly listeners: Listeners;
  readonly counters: Counters = new Counters();
  readonly works: Works = new Works();
  #state: ElectionState = 'follower';
  #tenure: Tenure | null = null;
  #latest: Tenure | null = null;
  #leader: LeaderView | null = null;

  constructor(settings: Settings) {
    this.settings = settings;
    this.sightings = new Sightings(settings);
    this.identity = new Identity(settings.candidate.nodeId);
    this.listeners = new Listeners(settings.log);
  }

  get state(): ElectionState {
    return this.#state;
  }

  get tenure(): Tenure | null {
    return this.#tenure;
  }

  /** The newest leadership, which may be over, and its lease still on its way back. */
  get latest(): Tenure | null {
    return this.#latest;
  }

  get leader(): LeaderView | null {
    return this.#leader;
  }

  get term(): number {
    return this.sightings.floor;
  }

  /** The node takes part from now on: what it knows of others' being alive is not of this time. */
  begin(onWorkSettled: () => void): void {
    this.sightings.forgetStandstill();
    this.identity.forgetTwin();
    this.works.onSettled(onWorkSettled);
  }

  become(state: ElectionState): void {
    const from = this.#state;
    this.#state = state;
    if (from !== state) this.tell({ kind: 'state-changed', from, to: state, term: this.term });
  }

  acquired(tenure: Tenure, lease: HeldLease, forced: HeldLease | null): void {
    this.identity.settle();
    this.sightings.learnOwn(lease);
    this.#tenure = this.#latest = tenure;
    this.counters.wins += 1;
    this.become('leader');
    if (forced !== null) this.#tookOver(forced, lease.term);
    this.settings.log('info', 'leadership acquired', { election: this.settings.name, ...tenure.lease });
    this.tell({ kind: 'acquired', term: lease.term, token: lease.token });
    this.#ledBy(lease);
  }

  /** Rule 7: the signal has aborted before anybody hears of the loss. */
  lost(tenure: Tenure, reason: LossReason): void {
    tenure.end();
    this.#tenure = null;
    this.counters.lost(reason, tenure.ledMs);
    const level = reason === 'resigned' || reason === 'stopped' ? 'info' : 'warn';
    this.settings.log(level, 'leadership lost', { election: this.settings.name, ...tenure.lease, reason });
    this.tell({ kind: 'lost', term: tenure.lease.term, token: tenure.lease.token, reason });
    this.become('follower');
    this.#ledBy(null);
  }

  failed(error: unknown): void {
    this.tell({ kind: 'election-failed', term: this.term, error });
  }

  saw(observation: Observation): void {
    const { lease } = observation;
    this.sightings.learn(observation);
    if (lease !== null && this.identity.showsConflict(lease)) this.conflict(lease);
    this.#ledBy(lease !== null && this.identity.owns(lease) ? null : lease);
  }

  /** `deposed`: the term whose leader is to be replaced, live or not. */
  conclude(deposed: number | null): Conclusion {
    return this.unheardWin === null
      ? this.sightings.conclude(deposed)
      : { kind: 'campaign', dataLoss: 'wait', takeover: null };
  }

  /** The lease last seen, where it is that of a campaign of this node's that had no answer. */
  get unheardWin(): HeldLease | null {
    const { lease } = this.sightings;
    return lease !== null && this.identity.mayHaveWon(lease) ? lease : null;
  }

  conflict({ nodeId, term }: HeldLease): void {
    this.counters.identityConflicts += 1;
    this.settings.log('error', 'another live node has the same id', { election: this.settings.name, nodeId });
    this.tell({ kind: 'identity-conflict', term, nodeId });
  }

  tell(event: ElectionEvent): void {
    this.listeners.emit(event);
  }

  #tookOver(forced: HeldLease, term: number): void {
    this.counters.forcedTakeovers += 1;
    this.settings.log('warn', 'a lease was taken over', { election: this.settings.name, from: forced.nodeId, term });
    this.tell({ kind: 'takeover-forced', term, from: viewOf(forced) });
  }

  #ledBy(lease: HeldLease | null): void {
    const before = this.#leader;
    this.#leader = lease && viewOf(lease);
    if (before?.term === lease?.term && before?.nodeId === lease?.nodeId) return;
    this.tell({ kind: 'leader-changed', term: this.term, leader: this.#leader });
  }
}

function viewOf({ nodeId, address, term, priority }: HeldLease): LeaderView {
  return { nodeId, address, term, priority };
}
