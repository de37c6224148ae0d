import {
  type Election,
  type ElectionClock,
  type ElectionEvent,
  type ElectionEventKind,
  type ElectionEventOf,
  type Lease,
  type LeaseStore,
  systemClock,
} from 'mempool-election';
import type { CaseContext, ElectOptions } from '../case/case.ts';
import { leaseVerbs, verbsOf } from '../case/verbs.ts';
import { until, untilTrue } from './lease.ts';

/** Short, for cases in which a leadership ends by time. */
export const short: ElectOptions = { ttlMs: 600, pollMs: 40, jitterMs: 10 };
/** So long that no lease runs out in a case: a lease changes its holder only by a hand-over. */
export const long: ElectOptions = { ttlMs: 60_000, pollMs: 40, jitterMs: 10 };

const kinds: readonly ElectionEventKind[] = ['acquired', 'lost', 'identity-conflict', 'takeover-forced'];

interface Note {
  readonly of: Election;
  readonly event: ElectionEvent;
  readonly atMs: number;
}

/** Several nodes of one election, with all their events in order. */
export class Ballot {
  readonly nodes: readonly Election[];
  readonly notes: Note[] = [];

  constructor(context: CaseContext, options: readonly ElectOptions[]) {
    this.nodes = options.map((one) => context.elect(one));
    for (const node of this.nodes)
      for (const kind of kinds) node.on(kind, (event) => this.notes.push({ of: node, event, atMs: performance.now() }));
  }

  leaders(): Election[] {
    return this.nodes.filter((node) => node.isLeader());
  }

  /** Waits for a leader, other than some. */
  leader(except: readonly Election[] = []): Promise<Election> {
    return until('somebody leads', () => this.leaders().find((node) => !except.includes(node)) ?? null);
  }

  told(of: Election): string[] {
    return this.notes.filter((note) => note.of === of).map(({ event }) => event.kind);
  }

  /** The event that reported the end of the leadership with that lease. */
  lossOf({ token }: Pick<Lease, 'token'>): ElectionEventOf<'lost'> | undefined {
    const losses = this.notes.map(({ event }) => event).filter((event) => event.kind === 'lost');
    return losses.find((event) => event.token === token);
  }

  async start(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.start()));
  }
}

/** A store that can be made to hang: renewals are neither carried out nor answered, and campaigns reject. */
export function hanging(): { readonly through: (store: LeaseStore) => LeaseStore; hang(): void } {
  let hangs = false;
  const through = (store: LeaseStore): LeaseStore => ({
    ...verbsOf(store, leaseVerbs),
    campaign: (request) => (hangs ? Promise.reject(new Error('out of reach')) : store.campaign(request)),
    renew: (lease, request) => (hangs ? new Promise(() => undefined) : store.renew(lease, request)),
  });
  return {
    through,
    hang() {
      hangs = true;
    },
  };
}

/** A store whose answers to campaigns and renewals can be held back: the calls are carried out, their answers come later. */
export class Withheld implements Disposable {
  readonly #waiting: (() => void)[] = [];
  #withholds = false;

  readonly through = (store: LeaseStore): LeaseStore => ({
    ...verbsOf(store, leaseVerbs),
    campaign: (request) => this.#late(() => store.campaign(request)),
    renew: (lease, request) => this.#late(() => store.renew(lease, request)),
  });

  /** From the next call on. */
  begin(): void {
    this.#withholds = true;
  }

  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** Releases the answers that wait; later ones are held back as well. */
  async give(): Promise<void> {
    await untilTrue('a call has been done and not answered', () => this.waits);
    for (const answer of this.#waiting.splice(0)) answer();
  }

  /** Holds nothing back any more: a node that stops waits for its calls. */
  [Symbol.dispose](): void {
    this.#withholds = false;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  async #late<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    const withheld = this.#withholds;
    const reply = await call();
    // After the end nobody would release an answer that comes only now.
    if (withheld && this.#withholds) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return reply;
  }
}

/** The times at which a node called its store. */
export class Calls {
  readonly campaigns: number[] = [];
  readonly looks: number[] = [];
  readonly releases: number[] = [];

  readonly through = (store: LeaseStore): LeaseStore => ({
    ...verbsOf(store, leaseVerbs),
    campaign: (request) => noted(this.campaigns, () => store.campaign(request)),
    observe: () => noted(this.looks, () => store.observe()),
    release: (holder) => noted(this.releases, () => store.release(holder)),
  });
}

function noted<Reply>(times: number[], call: () => Reply): Reply {
  times.push(performance.now());
  return call();
}

/** A wall clock that a case moves forward, as waking from sleep does. */
export class SleepyClock implements ElectionClock {
  sleptMs = 0;
  readonly monotonicMs: ElectionClock['monotonicMs'] = systemClock.monotonicMs;
  readonly schedule: ElectionClock['schedule'] = systemClock.schedule;
  readonly wallMs = (): number => systemClock.wallMs() + this.sleptMs;
}

export async function lone(context: CaseContext, options: ElectOptions): Promise<readonly [Election, Ballot]> {
  const ballot = new Ballot(context, [options]);
  await ballot.start();
  return [await ballot.leader(), ballot];
}

/** Stops this thread, as a long computation does: no timer fires, no answer arrives. */
export function stall(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}
