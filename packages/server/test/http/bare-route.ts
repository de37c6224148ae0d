/** The least that a server does with a transaction: reads the body and answers. It prints its URL, and serves until killed. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.post('/api/v1/transactions', async (context) => {
  const body = await context.req.arrayBuffer();
  return context.json({ bytes: body.byteLength }, 201);
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
