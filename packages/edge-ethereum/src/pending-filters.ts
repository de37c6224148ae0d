import { randomBytes } from 'node:crypto';
import { type Hex, toHex } from 'viem';
import type { ReadyFeed } from './ready-feed.ts';
import { RpcError, refused, rpcCodes } from './rpc-error.ts';

interface Filter {
  /** The owner. No one else can read or remove the filter. */
  readonly owner: string;
  /** The position at which the next answer begins. */
  position: number;
  /** `performance.now()` at the last call. */
  usedAt: number;
}

/** A filter that nobody asks for so long is removed, as with geth. */
const expiryMs = 5 * 60_000;
const maxFilters = 10_000;

/** The filters of `eth_newPendingTransactionFilter`. Each is a position in the feed, so that it costs little. */
export class PendingFilters {
  readonly #feed: ReadyFeed;
  readonly #clock: () => number;
  /** The one that was asked longest ago comes first. */
  readonly #filters = new Map<string, Filter>();

  constructor(feed: ReadyFeed, clock: () => number = () => performance.now()) {
    this.#feed = feed;
    this.#clock = clock;
  }

  /** Creates a filter. @throws `RpcError` −32005 if there are too many; the pool's error */
  async create(owner: string): Promise<Hex> {
    this.#expire();
    if (this.#filters.size >= maxFilters) throw new RpcError(rpcCodes.limit, `at most ${maxFilters} filters at once`);
    await this.#feed.start();
    const id = toHex(randomBytes(16));
    this.#filters.set(id, { owner, position: this.#feed.end, usedAt: this.#clock() });
    return id;
  }

  /** True if there is a filter with this id. */
  has(id: unknown): id is Hex {
    return typeof id === 'string' && this.#filters.has(id);
  }

  /** Returns the hashes since the last call. @throws `RpcError` −32000 if the filter has another owner, or is too far behind */
  changes(id: Hex, owner: string): Hex[] {
    const filter = this.#own(id, owner);
    const hashes = filter && this.#feed.from(filter.position);
    if (!filter || !hashes) {
      if (filter) this.#filters.delete(id);
      throw refused('filter not found');
    }
    this.#filters.delete(id);
    this.#filters.set(id, { owner, position: filter.position + hashes.length, usedAt: this.#clock() });
    return hashes.map((hash): Hex => `0x${hash}`);
  }

  /** Removes a filter. Returns true if there was one. */
  remove(id: Hex, owner: string): boolean {
    return this.#own(id, owner) !== null && this.#filters.delete(id);
  }

  #own(id: Hex, owner: string): Filter | null {
    this.#expire();
    const filter = this.#filters.get(id);
    return filter?.owner === owner ? filter : null;
  }

  #expire(): void {
    const oldest = this.#clock() - expiryMs;
    for (const [id, { usedAt }] of this.#filters) {
      if (usedAt > oldest) return;
      this.#filters.delete(id);
    }
  }
}
