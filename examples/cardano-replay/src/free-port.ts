import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const host = '127.0.0.1';
/** Below those that the system gives to who asks for any: one of these could be gone when a restarted server wants it again. */
const [lowest, lowestGivenOut] = [10_000, 32_768];

/** A port of 127.0.0.1 that nothing listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, lowestGivenOut);
    const server = createServer().listen(port, host);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
