import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';
import { needRedisServer } from './redis-program.ts';

export interface ServerOptions {
  /** The folder for the server's files. The caller makes and removes it. */
  readonly dir: string;
  /** The port; by default a free one. */
  readonly port?: number;
  /** Further command-line arguments, as in `['--appendonly', 'yes']`. */
  readonly args?: readonly string[];
}

/** Arguments for a server that writes each change to disk before it answers, so that `restart` loses nothing. */
export const durable: readonly string[] = ['--appendonly', 'yes', '--appendfsync', 'always'];

const readyLine = 'Ready to accept connections';

/**
 * Starts a `redis-server` from the PATH and resolves when it accepts connections.
 * By default it stores nothing on disk. It ends with the process that started it.
 *
 * @throws MissingRedisError when there is no `redis-server`
 * @throws Error when it ends before it is ready
 */
export async function startRedisServer(options: ServerOptions): Promise<RedisServer> {
  needRedisServer();
  const { dir, port = await freePort(), args = [] } = options;
  return new RedisServer({ dir, port, args }, await start({ dir, port, args }));
}

/** A running `redis-server` on 127.0.0.1 that the caller stops. */
export class RedisServer implements AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly #options: Required<ServerOptions>;
  #child: ChildProcess;

  constructor(options: Required<ServerOptions>, child: ChildProcess) {
    this.#options = options;
    this.#child = child;
    this.port = options.port;
    this.url = `redis://127.0.0.1:${options.port}`;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** False once it has ended, until `restart`. A frozen server runs. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends `signal`, SIGKILL by default, and waits until the server is gone. Does nothing if it is gone already. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }

  /** Ends it cleanly and waits until it is gone. Does nothing if it is gone already. */
  stop(): Promise<void> {
    return this.kill('SIGTERM');
  }

  /** Starts the server again, with the same port, folder and arguments. Kills it before if it still runs. */
  async restart(): Promise<void> {
    await this.kill();
    this.#child = await start(this.#options);
  }

  /** Suspends the server until `thaw`: connections stay open, and nothing is answered. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

async function start({ port, dir, args }: Required<ServerOptions>): Promise<ChildProcess> {
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir];
  // `args` come last, so that they win over what is set here.
  const quiet = ['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--logfile', ''];
  const child = spawn('redis-server', [...where, ...quiet, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const stopWithUs = () => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  child.once('exit', () => process.off('exit', stopWithUs));
  await ready(child);
  return child;
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
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`redis-server ended before it was ready:\n${log}`)));
  });
}
