import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** What a test asks of a server of its own. */
export interface ServerOptions {
  /** Where it keeps its files; the caller makes and removes the folder. */
  readonly dir: string;
  /** A restarted server takes the port of the one before; without it a free one is chosen. */
  readonly port?: number;
  /** Further command-line arguments, as in `['--appendonly', 'yes']`. */
  readonly args?: readonly string[];
}

/** A running `redis-server` on 127.0.0.1 that the caller stops. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Ends it at once with `signal` and waits until it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it cleanly and waits until it is gone; a second call does nothing. */
  stop(): Promise<void>;
}

/** Below these much is taken already; from 32,768 on Linux and macOS give out ports by themselves. */
const lowest = 10_000;
const lowestGivenOut = 32_768;
/** More than there are workers of vitest. */
const shares = 32;
const readyLine = 'Ready to accept connections';

/**
 * Starts a `redis-server` from the PATH and resolves when it accepts connections.
 * It keeps nothing on disk unless `args` say otherwise, and ends with the process that started it.
 */
export async function startRedisServer({ dir, port, args = [] }: ServerOptions): Promise<RedisServer> {
  const chosen = port ?? (await freePort());
  const child = spawn('redis-server', commandLine(chosen, dir, args), { stdio: ['ignore', 'pipe', 'pipe'] });
  const stopWithUs = () => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  child.once('exit', () => process.off('exit', stopWithUs));
  await ready(child);
  return {
    port: chosen,
    url: `redis://127.0.0.1:${chosen}`,
    pid: child.pid as number,
    kill: (signal) => end(child, signal),
    stop: () => end(child, 'SIGTERM'),
  };
}

// `args` come last, so that they win over what is set here.
function commandLine(port: number, dir: string, args: readonly string[]): string[] {
  const quiet = ['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--logfile', ''];
  return ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...quiet, ...args];
}

/**
 * A port on 127.0.0.1 that nothing listens on now, that is not given by the system to who asks for any, nor to another worker by
 * this: another test may ask before ours is taken, or while our server is away.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const share = Number(process.env.VITEST_POOL_ID ?? 0) % shares;
    const port = lowest + share + shares * randomInt(Math.floor((lowestGivenOut - lowest) / shares));
    const server = createServer().listen(port, '127.0.0.1');
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

// The log is read to its end even after that: a full pipe would stop the server.
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    const read = (chunk: Buffer) => {
      if (log.includes(readyLine)) return;
      log += chunk.toString();
      if (log.includes(readyLine)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', (cause) => reject(new Error('redis-server did not start; is it on the PATH?', { cause })));
    child.once('exit', () => reject(new Error(`redis-server ended before it was ready:\n${log}`)));
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
