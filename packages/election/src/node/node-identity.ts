import { randomUUID } from 'node:crypto';
import type { HeldLease, Lease } from '../contract/lease.ts';

/** Older tokens are forgotten: a lease that such a campaign wins after all is left to expire. */
const keptTokens = 64;

/** Keeps the tokens of this node's campaigns, and detects another live node with the same id. */
export class NodeIdentity {
  readonly #nodeId: string;
  readonly #owned = new Set<string>();
  readonly #reported = new Set<string>();
  readonly #uncertain = new Set<string>();
  #duplicate: Pick<HeldLease, 'token' | 'seq'> | null = null;

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  /** Returns a new token for one campaign. With a used one, other nodes would mistake the new lease for one that is not renewed. */
  createToken(): string {
    const token = randomUUID();
    this.#owned.add(token);
    this.#forgetOldest();
    return token;
  }

  /** Tokens of campaigns that had no answer in time. Such a campaign may have won, or may still win. */
  get uncertainTokens(): readonly string[] {
    return [...this.#uncertain];
  }

  mayHaveWon(lease: Pick<Lease, 'nodeId' | 'token'>): boolean {
    return lease.nodeId === this.#nodeId && this.#uncertain.has(lease.token);
  }

  /** Records that the campaign had no answer, or that its answer came too late. */
  markUncertain(token: string): void {
    this.#uncertain.add(token);
  }

  /** Records that the campaign was not won, by the store's answer. */
  forgetToken(token: string): void {
    this.#owned.delete(token);
  }

  /** Forgets the uncertain campaigns, so the node releases a lease that one of them has won. */
  clearUncertain(): void {
    this.#uncertain.clear();
  }

  owns({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): boolean {
    return nodeId === this.#nodeId && this.#owned.has(token);
  }

  /** True if the lease has this node's id, but a token that this node did not create. */
  isDuplicate(lease: Lease): boolean {
    return lease.nodeId === this.#nodeId && !this.#owned.has(lease.token);
  }

  /** Forgets the duplicate lease last seen, so that after a start only later renewals count (rule 8). */
  forgetDuplicate(): void {
    this.#duplicate = null;
  }

  /**
   * True if this lease proves for the first time that another live node has this id (rule 8). It does if it is a duplicate that
   * was renewed since the last read.
   */
  showsConflict(lease: HeldLease): boolean {
    if (!this.isDuplicate(lease)) return false;
    const before = this.#duplicate;
    this.#duplicate = { token: lease.token, seq: lease.seq };
    return before?.token === lease.token && before.seq !== lease.seq && this.report(lease.token);
  }

  /** Returns true for the first call with a token, then false. */
  report(token: string): boolean {
    if (this.#reported.has(token)) return false;
    this.#reported.add(token);
    return true;
  }

  #forgetOldest(): void {
    const [oldest] = this.#owned;
    if (oldest === undefined || this.#owned.size <= keptTokens) return;
    this.#owned.delete(oldest);
    this.#uncertain.delete(oldest);
  }
}
