import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import type { Accepted, Gateway } from 'mempool-sequencer';

/** The HTTP status of the gateway's answer. */
const statuses = {
  received: 202,
  duplicate: 200,
  'unknown-epoch': 404,
  closed: 410,
  'too-large': 413,
  malformed: 400,
  'unknown-slot': 403,
  'unknown-validator': 403,
  'bad-signature': 403,
  quota: 429,
  'rate-limit': 429,
  full: 503,
} as const satisfies Readonly<Record<Accepted['kind'], number>>;

const mostBytes = 65_536;

/** `POST /submissions`: a submission's message. A new one is passed to `onReceived`. */
export async function openEntry(
  port: number,
  gateway: Gateway,
  onReceived: (message: Uint8Array) => Promise<void>,
): Promise<AsyncDisposable> {
  const app = new Hono();
  app.post('/submissions', async (context) => {
    if (Number(context.req.header('content-length') ?? mostBytes + 1) > mostBytes)
      return context.json({ kind: 'too-large' }, 413);
    const peer = getConnInfo(context).remote.address ?? 'http';
    const message = new Uint8Array(await context.req.arrayBuffer());
    const accepted = await gateway.accept(message, { peer });
    if (accepted.kind === 'received') await onReceived(message);
    return context.json(accepted, statuses[accepted.kind]);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => resolve());
  await promise;
  return { [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())) };
}
