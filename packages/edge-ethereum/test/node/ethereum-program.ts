/**
 * A server with the edge for Ethereum in a process of its own. It follows the chain of its upstream and sends the pool's
 * transactions there. It prints its URLs. SIGTERM stops it.
 */
import { ethereumChain } from 'mempool-edge-ethereum/chain';
import { loadServerConfig, startServer } from 'mempool-server';

const [given = ''] = process.argv.slice(2);
const config = JSON.parse(given) as { readonly edges: { readonly ethereum: { readonly upstream: string } } };
const { upstream } = config.edges.ethereum;
const server = await startServer(await loadServerConfig(config), { source: ethereumChain(upstream, { pollMs: 50 }) });
const stopped = new AbortController();

async function send({ payload }: { readonly payload: Uint8Array }): Promise<void> {
  const params = [`0x${Buffer.from(payload).toString('hex')}`];
  const answer = await fetch(upstream, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params }),
  });
  const { error } = (await answer.json()) as { readonly error?: { readonly message: string } };
  if (error !== undefined && !/known transaction|already/i.test(error.message)) throw new Error(error.message);
}

const working = server.pool.work(send, {
  signal: stopped.signal,
  claimMs: 1_000,
  attempts: Number.POSITIVE_INFINITY,
  backoff: () => 100,
});
process.once('SIGTERM', () => {
  stopped.abort();
  void working.then(() => server.close());
});
console.log(JSON.stringify({ url: server.url, edges: server.edges }));
