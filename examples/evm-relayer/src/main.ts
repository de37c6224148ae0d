/** Takes signed Ethereum transactions in over HTTP, sends each to a node in the order of nonces, and again until its block is final. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { account, isMempoolError, toJsonValue, type Validate } from 'mempool-core';
import { ethereumChain, keepSending, rpcCall } from 'mempool-edge-ethereum/chain';
import { openNode } from 'mempool-node';
import { hashOf, readSigned } from './signed-transaction.ts';

const { CONFIG = 'pool.toml', NODE_URL = 'http://127.0.0.1:8545', PORT = '3000' } = process.env;
const { POLL_MS = '500', CLAIM_MS = '5000', ATTEMPTS = '10' } = process.env;
const [pollMs, claimMs, attempts] = [Number(POLL_MS), Number(CLAIM_MS), Number(ATTEMPTS)];
const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());

const chainId = Number(await rpcCall(NODE_URL, 'eth_chainId', []));

/** The verdict has the sender and the nonce. So the pool holds one transaction for each nonce, and hands them out in their order. */
const validate: Validate = async ({ payload }, { signal }) => {
  const signed = await readSigned(payload, chainId);
  if (typeof signed === 'string') return { code: 1, log: signed, penalize: true };
  const { from, nonce, priority, gas } = signed;
  const next = Number(await rpcCall(NODE_URL, 'eth_getTransactionCount', [from, 'latest'], signal));
  return account(from, nonce, next, { priority, gas });
};

/** The watcher applies the chain: what a reorganisation undoes is Pending again, and so sent again. */
await using relayer = await openNode(CONFIG, {
  ordering: 'priority',
  validate,
  source: ethereumChain(NODE_URL, { pollMs }),
});
const { pool } = relayer;
const report = (error: unknown): void => console.error(String(error));
const { signal } = stopped;
const sending = keepSending(pool, { url: NODE_URL, signal, lookMs: pollMs, claimMs, attempts, report });

const app = new Hono();
app.post('/transactions', async (c) => {
  const payload = Buffer.from((await c.req.text()).trim().replace(/^0x/, ''), 'hex');
  return c.json(toJsonValue(await pool.submit({ hash: hashOf(payload), payload, payloadType: 0 })));
});
app.get('/transactions/:hash', async (c) => c.json(toJsonValue(await pool.status(c.req.param('hash')))));
app.onError((error, c) => c.json({ error: error.message }, isMempoolError(error, 'ERR_MEMPOOL_INVALID') ? 400 : 503));

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => console.log(port));
await sending;
server.close();
