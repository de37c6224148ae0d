import { authorize, type Caller, type Scope } from 'mempool-server/edge';
import type { Hex } from 'viem';
import { numberToHex } from 'viem';
import type { AccountState } from './account-state.ts';
import { addressParam, blockParam, bytesParam, hashParam, type Params, textParam } from './params.ts';
import type { PendingFilters } from './pending-filters.ts';
import { noMethod, RpcError, rpcCodes, wrongParams } from './rpc-error.ts';
import { inspected, rpcTransaction } from './rpc-transaction.ts';
import type { Submitter } from './submitter.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Transactions } from './transactions.ts';
import type { Txpool } from './txpool.ts';
import type { ChainCalls, Upstream } from './upstream.ts';

/** The caller of a method, and its connection. */
export interface Session {
  readonly caller: Caller | null;
  /** The owner of filters: the name of the token, or the address of the client. */
  readonly owner: string;
  /** The subscriptions of the WebSocket; `null` on HTTP. */
  readonly subscriptions: Subscriptions | null;
  /** Called before each call. @throws an error that is the call's answer */
  admit(): void;
  /** Counts a call against the rate limit. @throws `Problem` 429 */
  count(): void;
}

/** The parts that the methods need. */
export interface MethodParts {
  readonly chainId: number;
  /** The name of this program and its version. */
  readonly client: string;
  readonly submitter: Submitter;
  readonly state: AccountState;
  readonly transactions: Transactions;
  readonly txpool: Txpool;
  readonly filters: PendingFilters;
  readonly upstream: Upstream | null;
  /** Answers all other methods: the upstream, or without one the pool. */
  readonly chain: ChainCalls;
}

interface Method {
  readonly scope: Scope;
  run(params: Params, session: Session): unknown;
}

/** The methods of the edge. All others go to the upstream, or without one to `PoolChain`. */
export class Methods {
  readonly #parts: MethodParts;
  readonly #own: ReadonlyMap<string, Method>;

  constructor(parts: MethodParts) {
    this.#parts = parts;
    const withScope = (scope: Scope, runs: Record<string, Run>): [string, Method][] =>
      Object.entries(runs).map(([name, run]) => [name, { scope, run }]);
    this.#own = new Map([...withScope('read', reads(parts)), ...withScope('submit', submissions(parts))]);
  }

  /** Runs a method and returns its result. @throws `RpcError`; `Problem` 401 or 403; the pool's error */
  async call(method: string, params: Params, session: Session): Promise<unknown> {
    const own = this.#own.get(method);
    authorize(session.caller, [own?.scope ?? foreignScope(method)]);
    if (own !== undefined && !this.#isForeign(method, params)) return own.run(params, session);
    if (bypassesPool.test(method)) throw noMethod(method);
    return this.#parts.chain.call(method, params);
  }

  /** True for a call of an own method about something that only the upstream knows. */
  #isForeign(method: string, params: Params): boolean {
    if (this.#parts.upstream === null) return false;
    switch (method) {
      case 'eth_getTransactionCount':
        return blockParam(params, 1) !== 'pending';
      case 'eth_getFilterChanges':
      case 'eth_uninstallFilter':
        return !this.#parts.filters.has(params[0]);
      default:
        return false;
    }
  }
}

/** Methods that bring a transaction to the upstream past the pool. */
const bypassesPool = /^eth_send(?:RawTransaction|Bundle|Private|UserOperation)/;

/** Which right a method of the upstream needs. What may change or stop the node, or sign for it, is the administrator's. */
function foreignScope(method: string): Scope {
  return /^(?:eth|net|web3)_/.test(method) && !/^eth_(?:send|sign|submit|resend)/.test(method) ? 'read' : 'admin';
}

type Run = Method['run'];

/** Methods that need the scope `read`. */
function reads({ chainId, client, state, transactions, txpool, filters }: MethodParts): Record<string, Run> {
  return {
    eth_chainId: () => numberToHex(chainId),
    net_version: () => String(chainId),
    web3_clientVersion: () => client,
    eth_getTransactionCount: (params) => transactionCount(state, params),
    eth_getTransactionByHash: (params) => transactions.byHash(hashParam(params, 0)),
    txpool_status: () => txpool.status(),
    txpool_content: () => txpool.content((signed) => rpcTransaction(signed)),
    txpool_inspect: () => txpool.content(inspected),
    txpool_contentFrom: (params) => txpool.contentFrom(addressParam(params, 0), (signed) => rpcTransaction(signed)),
    eth_newPendingTransactionFilter: (_, { owner }) => filters.create(owner),
    eth_getFilterChanges: (params, { owner }) => filters.changes(textParam(params, 0) as Hex, owner),
    eth_uninstallFilter: (params, { owner }) => filters.remove(textParam(params, 0) as Hex, owner),
    eth_subscribe: (params, session) => subscribing(session).add(params),
    eth_unsubscribe: (params, session) => subscribing(session).remove(textParam(params, 0)),
  };
}

/** Methods that need the scope `submit`. */
function submissions({ submitter }: MethodParts): Record<string, Run> {
  return {
    eth_sendRawTransaction: (params) => submitter.submit(bytesParam(params, 0)),
  };
}

async function transactionCount(state: AccountState, params: Params): Promise<Hex> {
  const from = addressParam(params, 0);
  const block = blockParam(params, 1);
  if (block === 'pending') return numberToHex(await state.pendingNonceOf(from));
  if (block === 'latest') return numberToHex(await state.nonceOf(from));
  throw wrongParams('without an upstream only the blocks latest and pending are known');
}

function subscribing({ subscriptions }: Session): Subscriptions {
  if (subscriptions !== null) return subscriptions;
  throw new RpcError(rpcCodes.method, 'notifications not supported: subscriptions need a WebSocket');
}
