/** How many messages a peer may send. */
export interface PeerLimits {
  /** Messages per second. */
  readonly rate: number;
  /** The most at once, after a time of silence. */
  readonly burst: number;
  /** The most peers that are remembered. Of more, the one is forgotten that has been silent for longest. */
  readonly peers: number;
}

/** A token bucket for each peer of this process. */
export class PeerBuckets {
  /** In how many milliseconds a token comes. */
  readonly #perToken: number;
  /** In how many milliseconds all tokens of a bucket come but one. */
  readonly #allButOne: number;
  readonly #maxPeers: number;
  /** When each bucket will be full again. The latest senders are at the end. */
  readonly #fullAt = new Map<string, number>();

  constructor({ rate, burst, peers }: PeerLimits) {
    this.#perToken = 1_000 / rate;
    this.#allButOne = rate === Number.POSITIVE_INFINITY ? 0 : this.#perToken * (burst - 1);
    this.#maxPeers = peers;
  }

  /** Takes a token of the peer. Returns after how many milliseconds there is one; 0: there was one. */
  take(peer: string, now: number): number {
    // Never further away than from empty, in case the clock was set back.
    const known = Math.min(this.#fullAt.get(peer) ?? now, now + this.#allButOne + this.#perToken);
    const fullAt = Math.max(now, known);
    const waitMs = Math.max(0, fullAt - now - this.#allButOne);
    this.#keep(peer, waitMs === 0 ? fullAt + this.#perToken : fullAt);
    return Math.ceil(waitMs);
  }

  #keep(peer: string, fullAt: number): void {
    this.#fullAt.delete(peer);
    this.#fullAt.set(peer, fullAt);
    const [longestSilent] = this.#fullAt.size > this.#maxPeers ? this.#fullAt.keys() : [];
    if (longestSilent !== undefined) this.#fullAt.delete(longestSilent);
  }

  /** How many peers are remembered. */
  get size(): number {
    return this.#fullAt.size;
  }
}
