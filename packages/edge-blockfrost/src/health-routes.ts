import type { Mempool } from 'mempool-core';
import type { BlockfrostRoute } from './blockfrost-route.ts';

const guide = 'https://github.com/mempool-ts/mempool/blob/main/packages/server/README.md';
/** The version of Blockfrost's API that the answers have. */
const version = '0.1.92';
/** How long the store may take to answer. */
const probeMs = 2_000;

/** Returns the routes that clients call first, to check the server. */
export function healthRoutes(pool: Mempool): BlockfrostRoute[] {
  return [
    { method: 'GET', path: '/', scope: null, answer: async () => Response.json({ url: guide, version }) },
    { method: 'GET', path: '/health', scope: null, answer: async () => health(await isReachable(pool)) },
    {
      method: 'GET',
      path: '/health/clock',
      scope: null,
      answer: async () => Response.json({ server_time: Date.now() }),
    },
  ];
}

function health(isHealthy: boolean): Response {
  return Response.json({ is_healthy: isHealthy }, { headers: { 'cache-control': 'no-store' } });
}

async function isReachable(pool: Mempool): Promise<boolean> {
  try {
    await pool.tip({ signal: AbortSignal.timeout(probeMs) });
    return true;
  } catch {
    return false;
  }
}
