import type { Address } from 'viem';
import type { AccountIndex } from './account-index.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';
import type { Upstream } from './upstream.ts';

/** What the chain says of an account. */
export interface AccountState {
  /** The nonce that the chain expects next. @throws `RpcError` −32002 */
  nonceOf(from: Address): Promise<number>;
  /** In wei; `null`: not known. @throws `RpcError` −32002 */
  balanceOf(from: Address): Promise<bigint | null>;
  /** The nonce for the next transaction of a wallet. @throws `RpcError` −32002 */
  pendingNonceOf(from: Address): Promise<number>;
}

/** Asks the upstream. */
export class UpstreamState implements AccountState {
  readonly #upstream: Upstream;
  readonly #index: AccountIndex;

  constructor(upstream: Upstream, index: AccountIndex) {
    this.#upstream = upstream;
    this.#index = index;
  }

  async nonceOf(from: Address): Promise<number> {
    return Number(await this.#quantity('eth_getTransactionCount', [from, 'latest']));
  }

  balanceOf(from: Address): Promise<bigint> {
    return this.#quantity('eth_getBalance', [from, 'latest']);
  }

  /** The upstream may have transactions that the pool has not, and the other way round. */
  async pendingNonceOf(from: Address): Promise<number> {
    const [latest, pending] = await Promise.all([
      this.nonceOf(from),
      this.#quantity('eth_getTransactionCount', [from, 'pending']),
      this.#index.upToDate(),
    ]);
    return Math.max(this.#index.table.nextNonce(from, latest), Number(pending));
  }

  async #quantity(method: string, params: readonly unknown[]): Promise<bigint> {
    const answer = await this.#upstream.call(method, params);
    if (typeof answer === 'string' && /^0x[0-9a-f]{1,64}$/i.test(answer)) return BigInt(answer);
    throw new RpcError(rpcCodes.unavailable, 'the upstream is not available: its answer is no number');
  }
}

/** Without an upstream: what the blocks tell that the pool was given. An account that they do not name begins at 0. */
export class PoolState implements AccountState {
  readonly #index: AccountIndex;

  constructor(index: AccountIndex) {
    this.#index = index;
  }

  async nonceOf(from: Address): Promise<number> {
    await this.#index.upToDate();
    return this.#index.table.chainNonce(from);
  }

  async balanceOf(): Promise<null> {
    return null;
  }

  async pendingNonceOf(from: Address): Promise<number> {
    return this.#index.table.nextNonce(from, await this.nonceOf(from));
  }
}
