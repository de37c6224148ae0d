import { createServer } from 'node:http';
import { openNode } from 'mempool-node';
import { createMetrics, Monitor } from 'mempool-server';

/** Statistics and metrics of a pool in a program of your own. */
export async function run(file: string, port: number, stopped: AbortSignal): Promise<string> {
  const metrics = createMetrics();
  await using node = await openNode(file, { observer: metrics.observer });
  await using monitor = await Monitor.start(node.pool);
  metrics.attach({ pool: node.pool, election: node.election, monitor });
  const http = createServer(async (_, response) => {
    response.setHeader('content-type', metrics.contentType).end(await metrics.text());
  }).listen(port, '127.0.0.1');
  await new Promise((resolve) => stopped.addEventListener('abort', resolve));
  http.close();
  return `${monitor.summary().received} received`;
}
