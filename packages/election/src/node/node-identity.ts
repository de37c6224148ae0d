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

  /** A new token for one campaign, never used before: with a used token, other nodes would take a new lease for one that does not move. */
  createToken(): string {
    const token = randomUUID();
    this.#owned.add(token);
    this.#forgetOldest();
    return token;
  }

  /** Tokens of campaigns that had no answer in time. They may have been won, or may still be. */
  get uncertainTokens(): readonly string[] {
    return [...this.#uncertain];
  }

  mayHaveWon(lease: Pick<Lease, 'nodeId' | 'token'>): boolean {
    return lease.nodeId === this.#nodeId && this.#uncertain.has(lease.token);
  }

  /** Call it if the campaign had no answer, or its answer came too late. */
  markUncertain(token: string): void {
    this.#uncertain.add(token);
  }

  /** Call it if the store answered that the campaign was not won. */
  forgetToken(token: string): void {
    this.#owned.delete(token);
  }

  /** From now on the node gives back a lease that an uncertain campaign has won. */
  clearUncertain(): void {
    this.#uncertain.clear();
  }

  owns({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): boolean {
    return nodeId === this.#nodeId && this.#owned.has(token);
  }

  /** Whether the lease has this node's id, but a token that this node did not create. */
  isDuplicate(lease: Lease): boolean {
    return lease.nodeId === this.#nodeId && !this.#owned.has(lease.token);
  }

  /** At a new start only renewals from now on count (rule 8). */
  forgetDuplicate(): void {
    this.#duplicate = null;
  }

  /** Rule 8: whether this lease shows for the first time that another live node has this id: it was renewed since the last look. */
  showsConflict(lease: HeldLease): boolean {
    if (!this.isDuplicate(lease)) return false;
    const before = this.#duplicate;
    this.#duplicate = { token: lease.token, seq: lease.seq };
    return before?.token === lease.token && before.seq !== lease.seq && this.report(lease.token);
  }

  /** True once for each token. */
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
