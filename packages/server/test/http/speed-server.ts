/** One side of the speed comparison: a server, in a process of its own. It prints its port, then answers until killed. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { loadServerConfig, startServer } from 'mempool-server';

const [kind = 'bare', path = ''] = process.argv.slice(2);

/** What any handler pays that reads a body and answers JSON. */
function bare(): void {
  const app = new Hono();
  app.post('/api/v1/transactions', async (context) => {
    const body = await context.req.arrayBuffer();
    return context.json({ bytes: body.byteLength }, 201);
  });
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(port));
}

async function whole(mempool: object): Promise<void> {
  const { port } = await startServer(await loadServerConfig({ mempool }, { server: { port: 0 } }));
  console.log(port);
}

if (kind === 'bare') bare();
else await whole(kind === 'sqlite' ? { backend: 'sqlite', path } : { backend: 'ephemeral' });
