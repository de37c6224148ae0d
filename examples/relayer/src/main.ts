/** Takes transactions in over HTTP, sends them to a node until it has them, and follows its chain. */
import { createHash } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type Block, type ChainSource, isMempoolError, toJsonValue } from 'mempool-core';
import { openNode } from 'mempool-node';

const { CONFIG = 'pool.toml', NODE_URL = 'http://127.0.0.1:4000', PORT = '3000', CLAIM_MS = '30000' } = process.env;
const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());

/** The chain of the node, which has no forks: the blocks after a slot, each as soon as it is there. */
async function* blocksAfter(slot: number, signal: AbortSignal) {
  for (let after = slot; ; ) {
    const answer = await fetch(`${NODE_URL}/blocks?after=${after}`, { signal });
    const block = (await answer.json()) as Block;
    yield { kind: 'apply', block } as const;
    after = block.point.slot;
  }
}
const source: ChainSource = {
  intersect: async ([point = null], { signal }) => ({ point, steps: blocksAfter(point?.slot ?? 0, signal) }),
};

await using relayer = await openNode(CONFIG, { source });
const { pool } = relayer;

/** A failed attempt is repeated later, over restarts too. After ten the transaction is dropped as `failed`. */
const sending = pool.work(
  async ({ payload }, { signal }) => {
    const { ok, status } = await fetch(`${NODE_URL}/transactions`, { method: 'POST', body: payload, signal });
    if (!ok) throw new Error(`the node answered ${status}`);
  },
  { concurrency: 8, claimMs: Number(CLAIM_MS), attempts: 10, signal: stopped.signal },
);

const app = new Hono();
app.post('/transactions', async (c) => {
  const payload = new Uint8Array(await c.req.arrayBuffer());
  const hash = createHash('sha256').update(payload).digest('hex');
  return c.json(toJsonValue(await pool.submit({ hash, payload, payloadType: 0 })));
});
app.get('/transactions/:hash', async (c) => c.json(toJsonValue(await pool.status(c.req.param('hash')))));
app.get('/events', (c) =>
  streamSSE(c, async (stream) => {
    const after = c.req.header('last-event-id');
    const signal = AbortSignal.any([stopped.signal, c.req.raw.signal]);
    for await (const event of await pool.subscribe({ after, signal })) {
      await stream.writeSSE({ id: event.cursor, event: event.kind, data: JSON.stringify(toJsonValue(event)) });
    }
  }),
);
app.onError((error, c) => c.json({ error: error.message }, isMempoolError(error, 'ERR_MEMPOOL_INVALID') ? 400 : 503));

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => console.log(port));
await sending;
server.close();
