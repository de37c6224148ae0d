import type { Awaitable, RetryOptions } from 'mempool-core/backend';
import {
  type CampaignReply,
  type CampaignRequest,
  type Candidate,
  ElectionError,
  type Hint,
  isStale,
  type Lease,
  type LeaseStore,
  type LeaseStoreOptions,
  type Member,
  nextTerm,
  type Observation,
  type RenewReply,
  type RenewRequest,
  sameLease,
} from 'mempool-election';
import type { SqlFile } from '../file/sql-file.ts';
import type { CrashLock } from './crash-lock.ts';
import { electionError } from './error.ts';
import type { LeaseClock } from './lease-clock.ts';
import { LeaseFile } from './lease-file.ts';
import { LeasePoll } from './lease-poll.ts';

export interface FileLeaseStoreParts {
  readonly file: SqlFile;
  readonly lock: CrashLock;
  readonly clock: LeaseClock;
}

/** The lease of one election in a pool's file, on its own connection. Each verb is one SQLite transaction. */
export class FileLeaseStore implements LeaseStore {
  readonly #file: SqlFile;
  readonly #lock: CrashLock;
  readonly #leases: LeaseFile;
  readonly #poll: LeasePoll;
  readonly #options: LeaseStoreOptions;
  readonly #closing = new AbortController();

  constructor({ file, lock, clock }: FileLeaseStoreParts, options: LeaseStoreOptions) {
    this.#file = file;
    this.#lock = lock;
    this.#leases = new LeaseFile({ file, lock, clock, election: options.name });
    this.#poll = new LeasePoll(file, this.#leases, options.clock);
    this.#options = options;
  }

  campaign(request: CampaignRequest): Promise<CampaignReply> {
    // A term must not be given out twice, even after a power cut. The rest of the lease may be lost.
    return this.#attempt((options) => this.#file.writeSynced(options, () => this.#campaign(request)));
  }

  renew(lease: Lease, request: RenewRequest): Promise<RenewReply> {
    return this.#write(() => {
      const row = this.#leases.read();
      // The caller is the holder, so it has not died, whatever the lock says.
      const own = row.lease !== null && sameLease(row.lease, lease) ? row.lease : null;
      if (own === null || !this.#leases.isInTime(own)) return { kind: 'lost', ...this.#observe() };
      return { kind: 'renewed', lease: this.#leases.put(own, request) };
    });
  }

  reinstate(lease: Lease, request: RenewRequest): Promise<RenewReply> {
    return this.#write(() => {
      const row = this.#leases.read();
      const live = this.#leases.live(row);
      if (live !== null && sameLease(live, lease)) return { kind: 'renewed', lease: this.#leases.put(live, request) };
      if (live !== null || row.term >= lease.term) return { kind: 'lost', ...this.#observe() };
      // If they started from 0, they could reach a value that a follower saw before the loss: the lease would seem not to move.
      const moved = Math.floor(this.#leases.nowSeconds() * 1000);
      const again = { ...lease, seq: moved, hbSeq: moved, hbAtMs: 0 };
      return { kind: 'renewed', lease: this.#leases.put(again, request) };
    });
  }

  async release(holder: Pick<Lease, 'nodeId' | 'token'>): Promise<boolean> {
    const released = await this.#write(() => {
      this.#leases.read();
      return this.#leases.release(holder);
    });
    // Only then: while the lease exists, a free lock would mean that its holder has died.
    if (released && this.#lock.heldToken === holder.token) this.#lock.release();
    return released;
  }

  observe(): Promise<Observation> {
    return this.#read(() => this.#observe());
  }

  heartbeat(candidate: Candidate, ttlMs: number): Promise<Member[]> {
    return this.#write(() => {
      this.#leases.heartbeat(candidate, ttlMs);
      return this.#leases.members();
    });
  }

  members(): Promise<Member[]> {
    return this.#read(() => this.#leases.members());
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#poll.listen(listener);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(closed());
    this.#poll.end();
    this.#file.close();
    this.#lock.close();
  }

  #read<T>(run: () => T): Promise<T> {
    return this.#attempt((options) => this.#file.read(options, run));
  }

  #write<T>(run: () => T): Promise<T> {
    return this.#attempt((options) => this.#file.write(options, run));
  }

  async #attempt<T>(run: (options: RetryOptions) => Awaitable<T>): Promise<T> {
    const { signal } = this.#closing;
    const { commandTimeoutMs, clock } = this.#options;
    try {
      signal.throwIfAborted();
      return await run({ timeoutMs: commandTimeoutMs, clock: () => clock.monotonicMs(), signal });
    } catch (error) {
      throw electionError(error);
    }
  }

  #observe(): Observation {
    const row = this.#leases.read();
    const live = this.#leases.live(row);
    return { lease: live && this.#leases.view(live), term: row.term };
  }

  #campaign({ candidate, token, ttlMs, floor, dataLoss, takeover }: CampaignRequest): CampaignReply {
    const row = this.#leases.read();
    const request: RenewRequest = { candidate, ttlMs, heartbeat: 'beat' };
    if (row.lease?.token === token && row.lease.nodeId === candidate.nodeId && this.#leases.isInTime(row.lease))
      return { kind: 'won', lease: this.#leases.put(row.lease, request), forced: null };
    const live = this.#leases.live(row);
    if (live !== null && !isStale(live, takeover))
      return { kind: 'held', lease: this.#leases.view(live), term: row.term };
    if (row.term < floor && dataLoss === 'wait') return { kind: 'forgotten', term: row.term };
    const forced = live && this.#leases.view(live);
    const term = nextTerm(row.term, floor, this.#leases.nowSeconds());
    const lease = this.#leases.put({ nodeId: candidate.nodeId, token, term, ...unmoved }, request);
    this.#leases.trimMembers();
    return { kind: 'won', lease, forced };
  }
}

const unmoved = { seq: 0, hbSeq: 0, hbAtMs: 0 };

function closed(): ElectionError {
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', 'the lease store is closed');
}
