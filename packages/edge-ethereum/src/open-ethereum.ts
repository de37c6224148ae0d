import { misconfigured } from 'mempool-core/backend';
import { type Edge, type ExtensionParts, HttpListener, WebSockets } from 'mempool-server/edge';
import { AccountIndex } from './account-index.ts';
import { PoolState, UpstreamState } from './account-state.ts';
import { isQuantity } from './chain-reader.ts';
import { FinalTransactions } from './final-transactions.ts';
import { FullFeed } from './full-feed.ts';
import { HeadFeed } from './head-feed.ts';
import { HttpCalls } from './http-calls.ts';
import { JsonRpc } from './json-rpc.ts';
import { Methods } from './methods.ts';
import { PendingFilters } from './pending-filters.ts';
import { PoolChain } from './pool-chain.ts';
import { ReadyFeed } from './ready-feed.ts';
import { socketCalls } from './socket-calls.ts';
import { Submitter } from './submitter.ts';
import type { Feeds } from './subscriptions.ts';
import { Transactions } from './transactions.ts';
import { Txpool } from './txpool.ts';
import { Upstream } from './upstream.ts';

/** The section `[edges.ethereum]`, with defaults filled in. */
export interface EthereumSection {
  /** The port to listen on; 0 means any free port. It listens on the `host` of `[server]`. */
  readonly port: number;
  /** The chain that transactions must be signed for. */
  readonly chainId: number;
  /**
   * The HTTP URL of an Ethereum node, which returns nonces and balances and answers all other methods; `null` for none. It
   * may contain a key, so it is in no log and no error.
   */
  readonly upstream: string | null;
  /** True: the pool's floor is the base fee, and transactions with a tip follow it (P29). Default false. */
  readonly followsFloor: boolean;
}

/**
 * Opens Ethereum JSON-RPC over HTTP and WebSocket, on a priority pool.
 * @throws `ERR_MEMPOOL_CONFIG` naming `edges.ethereum` for a fifo pool, or its `chain_id` if the upstream has another; the error of `listen`
 */
export async function openEthereum(shared: ExtensionParts, section: EthereumSection): Promise<Edge> {
  const { gate, options } = shared;
  // Later than `gate.stopping`: calls that are under way then are answered.
  const ended = new AbortController();
  await assertSameChain(section, ended.signal);
  const { methods, feeds } = parts(shared, section, ended.signal);
  const rpc = new JsonRpc(methods, gate);
  const calls = new HttpCalls(rpc, gate);
  try {
    const listener = await HttpListener.open(calls.fetch, { host: options.host, port: section.port });
    const port = { gate, http: listener.http, maxMessageBytes: options.maxBodyBytes };
    const sockets = new WebSockets(socketCalls(rpc, gate, feeds), port);
    const stop = async (drained: Promise<void>, drainMs: number): Promise<void> => {
      await Promise.all([sockets.stop(drained, drainMs), listener.stop(drained, drainMs)]);
      ended.abort();
    };
    return { url: listener.url, stop };
  } catch (error) {
    ended.abort();
    throw error;
  }
}

/** An upstream that cannot be reached now may be of any chain. @throws `ERR_MEMPOOL_CONFIG` naming `edges.ethereum.chain_id` */
async function assertSameChain({ chainId, upstream }: EthereumSection, signal: AbortSignal): Promise<void> {
  if (upstream === null) return;
  const found = await new Upstream(upstream, signal).call('eth_chainId').catch(() => null);
  if (isQuantity(found) && Number(found) !== chainId)
    throw misconfigured('edges.ethereum.chain_id', `is ${chainId}, but the upstream is of the chain ${Number(found)}`);
}

function parts(
  { pool, gate }: ExtensionParts,
  { chainId, upstream: url, followsFloor }: EthereumSection,
  ended: AbortSignal,
): { methods: Methods; feeds: Feeds } {
  if (pool.ordering === 'fifo')
    throw misconfigured('edges.ethereum', 'needs a pool with ordering = "priority": nonces go in order there');
  const { log, stopping } = gate;
  const upstream = url === null ? null : new Upstream(url, ended);
  const index = new AccountIndex(pool, log, ended);
  const state = upstream === null ? new PoolState(index) : new UpstreamState(upstream, index);
  const transactions = new Transactions(pool, index, new FinalTransactions(pool), upstream);
  const chain = upstream ?? new PoolChain(pool, index, transactions);
  const ready = new ReadyFeed(pool, log, stopping);
  const heads = new HeadFeed(chain, log, stopping);
  const methods = new Methods({
    chainId,
    client: `mempool-server/node${process.versions.node}`,
    submitter: new Submitter({ pool, index, state, chainId, followsFloor }),
    state,
    transactions,
    txpool: new Txpool({ pool, index, state, transactions, signal: ended }),
    filters: new PendingFilters(ready),
    upstream,
    chain,
  });
  return { methods, feeds: { ready, full: new FullFeed(ready, transactions, log), heads } };
}
