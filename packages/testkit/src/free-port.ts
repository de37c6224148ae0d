import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Lower ports are often in use. From 32,768 on Linux and macOS hand out ports themselves. */
const lowest = 10_000;
const lowestGivenOut = 32_768;
/** More than vitest has workers. */
const shares = 32;

/** The ports given last, the oldest first. Who asked may not listen yet. */
const given = new Set<number>();
const remembered = 300;

/**
 * Returns a free port on 127.0.0.1. Neither the system nor this function in another vitest worker assigns it again, so a server
 * that restarts finds its port free.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const share = Number(process.env.VITEST_POOL_ID ?? 0) % shares;
    const port = lowest + share + shares * randomInt(Math.floor((lowestGivenOut - lowest) / shares));
    if (given.has(port)) continue;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    given.add(port);
    const [oldest] = given.size > remembered ? given : [];
    if (oldest !== undefined) given.delete(oldest);
    server.close();
    await once(server, 'close');
    return port;
  }
}
