/** A redis-server that is killed, started again on what it wrote down, and frozen. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from 'cardano-replay/free-port';
import { Redis } from 'ioredis';

const host = '127.0.0.1';
const retryMs = 20;
const startMs = 10_000;

export class RedisProcess implements AsyncDisposable {
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | null = null;
  #isOver = false;

  static async start(folder: string): Promise<RedisProcess> {
    const server = new RedisProcess(folder, await freePort());
    await server.#start();
    return server;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  get url(): string {
    return `redis://${host}:${this.#port}`;
  }

  /** SIGKILL, then the same server again with what is in its append-only file. */
  async restart(downMs: number): Promise<void> {
    await this.#end();
    await delay(downMs);
    if (!this.#isOver) await this.#start();
  }

  /** SIGSTOP: connections stay open, and nothing is answered. */
  async freeze(forMs: number): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await delay(forMs);
    this.#child?.kill('SIGCONT');
  }

  /** What an operator types. */
  async command(name: string, ...args: readonly string[]): Promise<void> {
    const client = this.#client();
    try {
      await client.connect();
      await client.call(name, [...args]);
    } finally {
      client.disconnect();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#end();
  }

  async #start(): Promise<void> {
    // On disk before it answers: what a restart loses would be no fault of the nodes.
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const where = ['--bind', host, '--port', String(this.#port), '--dir', this.#folder, '--logfile', 'redis.log'];
    const child = spawn('redis-server', [...where, ...durable], { cwd: this.#folder, stdio: 'ignore' });
    this.#child = child;
    const stopWithUs = () => child.kill('SIGKILL');
    process.once('exit', stopWithUs);
    child.once('exit', () => process.off('exit', stopWithUs));
    const failed = once(child, 'exit').then(() => {
      throw new Error('redis-server did not start; is it on the PATH?');
    });
    failed.catch(() => {});
    await Promise.race([this.#answers(), failed]);
  }

  async #answers(): Promise<void> {
    for (const deadline = performance.now() + startMs; performance.now() < deadline; await delay(retryMs)) {
      const client = this.#client();
      try {
        await client.connect();
        await client.ping();
        return;
      } catch {
        // Not yet.
      } finally {
        client.disconnect();
      }
    }
    throw new Error(`redis-server does not answer after ${startMs} ms`);
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  #client(): Redis {
    const client = new Redis(this.#port, host, {
      lazyConnect: true,
      retryStrategy: () => null,
      commandTimeout: startMs,
    });
    client.on('error', () => {});
    return client;
  }
}
