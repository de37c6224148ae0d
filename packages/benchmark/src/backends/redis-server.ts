import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Redis } from 'ioredis';

/** A server of the benchmark's own, without persistence. */
export interface BenchServer {
  readonly url: string;
  readonly client: Redis;
  stop(): Promise<void>;
}

export const noServer = 'no redis-server on the PATH: install it, or leave out what needs it with --only';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** @throws Error where no `redis-server` is on the PATH */
export async function startServer(folder: string): Promise<BenchServer> {
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', flags, { stdio: 'ignore' });
  const started = await once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!started) throw new Error(noServer);
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { maxRetriesPerRequest: null });
  // The client tries again until the server listens; without a listener it would print every attempt.
  client.on('error', () => undefined);
  const gone = once(child, 'exit').then(() => client.disconnect());
  await Promise.race([client.ping(), gone.then(endedByItself)]);
  const stop = async (): Promise<void> => {
    client.disconnect();
    child.kill('SIGTERM');
    await gone;
  };
  return { url, client, stop };
}

function endedByItself(): never {
  throw new Error('redis-server ended by itself');
}
