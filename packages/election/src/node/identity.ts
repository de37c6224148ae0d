import { randomUUID } from 'node:crypto';
import type { HeldLease, Lease } from '../contract/lease.ts';

/** A campaign that comes later than so many others is left to expire. */
const keptTokens = 64;

/** Which tokens are this node's, and whether somebody else goes by its id. */
export class Identity {
  readonly #nodeId: string;
  readonly #owned = new Set<string>();
  readonly #reported = new Set<string>();
  readonly #doubtful = new Set<string>();
  #twin: Pick<HeldLease, 'token' | 'seq'> | null = null;

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  /**
   * The token to campaign with, never one that was there before: a lease that began anew with the same token would look to
   * others like one that stands still.
   */
  candidacy(): string {
    const token = randomUUID();
    this.#owned.add(token);
    this.#forgetOldest();
    return token;
  }

  /** Tokens with which a campaign may have been won unheard, or may still be. */
  get doubtful(): readonly string[] {
    return [...this.#doubtful];
  }

  mayHaveWon(lease: Pick<Lease, 'nodeId' | 'token'>): boolean {
    return lease.nodeId === this.#nodeId && this.#doubtful.has(lease.token);
  }

  /** The campaign had no answer, or none that was of use. */
  doubt(token: string): void {
    this.#doubtful.add(token);
  }

  /** It was heard that the campaign was not won. */
  discard(token: string): void {
    this.#owned.delete(token);
  }

  /** From now on a lease of a campaign that was in doubt is one that was left behind. */
  settle(): void {
    this.#doubtful.clear();
  }

  owns({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): boolean {
    return nodeId === this.#nodeId && this.#owned.has(token);
  }

  /** Whether a lease of this id is another one's. */
  isTwin(lease: Lease): boolean {
    return lease.nodeId === this.#nodeId && !this.#owned.has(lease.token);
  }

  /** A new start: only what moves from now on counts (rule 8). */
  forgetTwin(): void {
    this.#twin = null;
  }

  /** Rule 8: whether this sighting shows, for the first time, that another live node has this id. */
  showsConflict(lease: HeldLease): boolean {
    if (!this.isTwin(lease)) return false;
    const before = this.#twin;
    this.#twin = { token: lease.token, seq: lease.seq };
    return before?.token === lease.token && before.seq !== lease.seq && this.report(lease.token);
  }

  /** Once for each token. */
  report(token: string): boolean {
    if (this.#reported.has(token)) return false;
    this.#reported.add(token);
    return true;
  }

  #forgetOldest(): void {
    const [oldest] = this.#owned;
    if (oldest === undefined || this.#owned.size <= keptTokens) return;
    this.#owned.delete(oldest);
    this.#doubtful.delete(oldest);
  }
}
