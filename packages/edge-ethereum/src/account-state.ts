import type { Address } from 'viem';
import type { AccountIndex } from './account-index.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';
import type { Upstream } from './upstream.ts';

/** Reads the chain's state of an account. */
export interface AccountState {
  /** Returns the nonce that the chain expects next. @throws `RpcError` −32002 */
  nonceOf(from: Address): Promise<number>;
  /** Returns the balance in wei; `null` if it is not known. @throws `RpcError` −32002 */
  balanceOf(from: Address): Promise<bigint | null>;
  /** Returns the nonce for the next transaction of a wallet. @throws `RpcError` −32002 */
  pendingNonceOf(from: Address): Promise<number>;
}

/** Reads the state from the upstream. */
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

  /** Returns the higher nonce of pool and upstream, because each may have transactions that the other does not have. */
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

/** Reads the state, without an upstream, from the blocks that the pool has applied. An account that they do not name begins at 0. */
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
