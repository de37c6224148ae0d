import { setTimeout as sleep } from 'node:timers/promises';
import {
  accountTag,
  type Block,
  type ChainCursor,
  type ChainPoint,
  type ChainSource,
  type SourceStep,
} from 'mempool-core';
import { isTable, misconfigured } from 'mempool-core/backend';
import { bare, blockAt, isHash, isQuantity, type ReadBlock } from './chain-reader.ts';
import { isNodeUrl } from './node-url.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';
import { Upstream } from './upstream.ts';

export { keepSending, type SendingOptions } from './keep-sending.ts';
export { RpcFailure, rpcCall } from './node-call.ts';

/** Options of `ethereumChain`. */
export interface EthereumChainOptions {
  /** How long to wait for the next block before asking again, in milliseconds; default 1,000. */
  readonly pollMs?: number | undefined;
}

/** A new pool begins so many blocks before the last one: few forks are deeper. */
const beginBefore = 64;
/** So many blocks are remembered, for a fork. */
const maxTrail = 4_096;

/**
 * Returns the chain of an Ethereum node, for the watcher of a priority pool. Each block has the hashes of its transactions
 * and the nonces that it used. The source polls the node by HTTP.
 * @param url the URL of the node. It may contain a key, so no error contains it.
 * @throws `ERR_MEMPOOL_CONFIG` naming `url` if it is not a URL of a node
 * @example export default ethereumChain('http://127.0.0.1:8545');
 */
export function ethereumChain(url: string, { pollMs = 1_000 }: EthereumChainOptions = {}): ChainSource {
  if (!isNodeUrl(url)) throw misconfigured('url', 'of ethereumChain is no URL of a node');
  return {
    intersect: async (points, { signal }) => {
      const chain = new FollowedChain(new Upstream(url, signal), pollMs, signal);
      return chain.from(points);
    },
  };
}

/** One follower of the chain. */
class FollowedChain {
  readonly #upstream: Upstream;
  readonly #pollMs: number;
  readonly #signal: AbortSignal;
  /** The blocks up to the last step, the oldest first. */
  #trail: ChainPoint[] = [];

  constructor(upstream: Upstream, pollMs: number, signal: AbortSignal) {
    this.#upstream = upstream;
    this.#pollMs = pollMs;
    this.#signal = signal;
  }

  async from(points: readonly ChainPoint[]): Promise<ChainCursor | null> {
    if (points.length === 0) return this.#begin();
    const begin = await this.#newest(points);
    const point = points[begin];
    if (point === undefined) return null;
    this.#trail = points.slice(begin, begin + maxTrail).reverse();
    return { point, steps: this.#steps() };
  }

  /**
   * The place of the newest point to go on from; −1: none. A node that lags does not have the newest ones yet: they count
   * as its chain's if the next older one is. When the node has caught up, it shows whether they are.
   */
  async #newest(points: readonly ChainPoint[]): Promise<number> {
    let ahead: number | null = null;
    for (const [i, point] of points.entries()) {
      const found = await this.#hashAt(point);
      if (found === point.hash) return ahead ?? i;
      ahead = found === null ? (ahead ?? i) : null;
    }
    return -1;
  }

  async #begin(): Promise<ChainCursor> {
    const latest = await blockAt(this.#upstream, 'latest');
    const first = (latest?.number ?? 0) - beginBefore;
    const block = first < 0 ? null : await blockAt(this.#upstream, first);
    const point = block && pointOf(block);
    this.#trail = point === null ? [] : [point];
    return { point, steps: this.#steps() };
  }

  async *#steps(): AsyncGenerator<SourceStep> {
    while (!this.#signal.aborted) {
      const last = this.#trail.at(-1);
      const next = await blockAt(this.#upstream, last === undefined ? 0 : last.slot + 1, true);
      if (last !== undefined && (next === null ? await this.#isReplaced(last) : next.parent !== last.hash)) {
        yield { kind: 'undo', point: await this.#goBack() };
      } else if (next === null) {
        await this.#pause();
      } else {
        this.#trail.push(pointOf(next));
        if (this.#trail.length > maxTrail) this.#trail.shift();
        yield { kind: 'apply', block: blockFrom(next) };
      }
    }
  }

  /** Forgets what is not on the chain any more. @throws if all of it is not: the watcher asks again, with older points */
  async #goBack(): Promise<ChainPoint | null> {
    while (this.#trail.length > 0) {
      const last = this.#trail.at(-1);
      const found = last === undefined ? null : await this.#hashAt(last);
      if (last !== undefined && found === last.hash) return last;
      if (found === null) await this.#pause();
      else this.#trail.pop();
    }
    throw new RpcError(rpcCodes.unavailable, 'the chain of the upstream has none of the last blocks');
  }

  /** True if the node has another block there. Without any it only lags, or its chain is yet to grow so far again. */
  async #isReplaced(point: ChainPoint): Promise<boolean> {
    const found = await this.#hashAt(point);
    return found !== null && found !== point.hash;
  }

  async #hashAt({ slot }: ChainPoint): Promise<string | null> {
    return (await blockAt(this.#upstream, slot))?.hash ?? null;
  }

  async #pause(): Promise<void> {
    await sleep(this.#pollMs, null, { signal: this.#signal }).catch(() => undefined);
  }
}

function pointOf({ number, hash }: ReadBlock): ChainPoint {
  return { slot: number, hash };
}

function blockFrom(block: ReadBlock): Block {
  const { transactions } = block.fields;
  const all = Array.isArray(transactions) ? transactions.map(used) : [];
  return {
    point: pointOf(block),
    parent: block.number === 0 ? null : block.parent,
    seen: all.map(({ hash }) => hash),
    unseen: [],
    provides: all.map(({ tag }) => tag),
  };
}

/** What a transaction of a block was, and the nonce that it used. */
function used(given: unknown): { readonly hash: string; readonly tag: string } {
  const { hash, from, nonce } = isTable(given) ? given : {};
  if (!isHash(hash) || typeof from !== 'string' || !isQuantity(nonce))
    throw new RpcError(
      rpcCodes.unavailable,
      'the upstream is not available: a block has something else than transactions',
    );
  return { hash: bare(hash), tag: accountTag(from.toLowerCase(), BigInt(nonce)) };
}
