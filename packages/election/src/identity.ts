import { randomUUID } from 'node:crypto';
import type { HeldLease, Lease } from './lease.ts';

/** Which tokens are this node's, and whether somebody else goes by its id. */
export class Identity {
  readonly #nodeId: string;
  readonly #owned = new Set<string>();
  readonly #reported = new Set<string>();
  #token: string | null = null;
  #unsure = false;
  #twin: Pick<HeldLease, 'token' | 'seq'> | null = null;

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  /** The token to campaign with: the last one while it is not known what became of it. */
  candidacy(): string {
    this.#token ??= randomUUID();
    this.#owned.add(this.#token);
    return this.#token;
  }

  /** The token with which an earlier campaign may have been won unheard. */
  get pending(): string | null {
    return this.#token;
  }

  /** It leads, or did, with this token; the next candidacy takes another. */
  spend(): void {
    this.#token = null;
    this.#unsure = false;
  }

  /** A campaign with the token had no answer: it may still happen, whatever the next one is told. */
  doubt(): void {
    this.#unsure = true;
  }

  /** It was heard that the campaign was not won. */
  discard(): void {
    if (this.#token !== null && !this.#unsure) this.#owned.delete(this.#token);
    this.spend();
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
}
