import {
  type Candidate,
  type HeldLease,
  heartbeatExtraMs,
  type Lease,
  type Member,
  type RenewRequest,
} from 'mempool-election';
import type { SqlFile } from '../file/sql-file.ts';
import type { CrashLock } from './crash-lock.ts';
import type { LeaseClock } from './lease-clock.ts';
import { isExpired, type LeaseRow, readLease, remainingMs, type StoredLease } from './lease-row.ts';

export interface LeaseFileParts {
  readonly file: SqlFile;
  readonly lock: CrashLock;
  readonly clock: LeaseClock;
  readonly election: string;
}

/** The lease and members of one election, in the file and the lock. Call its methods inside a transaction. */
export class LeaseFile {
  readonly #file: SqlFile;
  readonly #lock: CrashLock;
  readonly #clock: LeaseClock;
  readonly #election: string;

  constructor({ file, lock, clock, election }: LeaseFileParts) {
    this.#file = file;
    this.#lock = lock;
    this.#clock = clock;
    this.#election = election;
  }

  /** Reads the row. Releases the lock if it was held for a lease that is over. */
  read(): LeaseRow {
    const row = readLease(this.#file, this.#election);
    if (this.#lock.heldToken !== (row.lease?.token ?? null)) this.#lock.release();
    return row;
  }

  /** Returns the live lease. Returns `null` if it was released or expired, or if its holder is dead. */
  live({ lease }: LeaseRow): StoredLease | null {
    return lease !== null && this.isInTime(lease) && !this.isAbandoned(lease) ? lease : null;
  }

  isInTime(lease: StoredLease): boolean {
    return !isExpired(lease, this.#clock);
  }

  /** True if the holder has died. It can tell only for a holder on this host since its last boot, because the locks of others look free. */
  isAbandoned({ holdsLock, clock, token }: StoredLease): boolean {
    return holdsLock === 1 && clock !== null && clock === this.#clock.id && this.#lock.isAbandonedBy(token);
  }

  /** Writes the lease, with a new expiry time and the candidate's address and priority. */
  put(lease: Pick<StoredLease, keyof Lease | 'seq' | 'hbSeq' | 'hbAtMs'>, request: RenewRequest): HeldLease {
    const { candidate, ttlMs, heartbeat } = request;
    const { address, priority } = candidate;
    const nowMs = this.#clock.nowMs();
    const beats = heartbeat === 'beat' ? 1 : 0;
    if (beats > 0) this.heartbeat(candidate, ttlMs);
    const kept: StoredLease = {
      ...{ nodeId: lease.nodeId, token: lease.token, term: lease.term, address, priority },
      seq: lease.seq + 1,
      hbSeq: lease.hbSeq + beats,
      hbAtMs: beats > 0 ? nowMs : lease.hbAtMs,
      ttlMs: Math.ceil(ttlMs),
      expiresMs: nowMs + Math.ceil(ttlMs),
      clock: this.#clock.id,
      holdsLock: Number(this.#lock.hold(lease.token)),
    };
    this.#file.run('putLease', { ...kept, name: this.#election });
    return this.view(kept);
  }

  release({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): boolean {
    return this.#file.run('releaseLease', this.#election, nodeId, token).changes === 1;
  }

  view(lease: StoredLease): HeldLease {
    const { nodeId, token, term, seq, hbSeq, address, priority } = lease;
    return { nodeId, token, term, seq, hbSeq, address, priority, remainingMs: remainingMs(lease, this.#clock) };
  }

  nowSeconds(): number {
    return Number(this.#file.row('nowSeconds')?.nowSeconds);
  }

  heartbeat({ nodeId, address, priority }: Candidate, ttlMs: number): void {
    const seenMs = this.#clock.nowMs();
    const expiresMs = seenMs + Math.ceil(ttlMs) + heartbeatExtraMs;
    const clock = this.#clock.id;
    this.#file.run('putMember', { election: this.#election, nodeId, address, priority, seenMs, expiresMs, clock });
  }

  members(): Member[] {
    const nowMs = this.#clock.nowMs();
    return [...this.#file.rows('members', this.#election, this.#clock.id, nowMs)].map((row) => ({
      nodeId: String(row.nodeId),
      address: row.address === null ? null : String(row.address),
      priority: Number(row.priority),
      ageMs: nowMs - Number(row.seenMs),
      alive: nowMs < Number(row.expiresMs),
    }));
  }

  trimMembers(): void {
    this.#file.run('trimMembers', this.#election, this.#clock.id, this.#clock.nowMs());
  }
}
