import type { Redis } from 'ioredis';
import { type DriverOptions, isMempoolError, MempoolError, retryUntil } from 'mempool-core';
import { createClient, type RedisOptions } from './options.ts';
import { isReply, refusal, withoutArguments } from './refusal.ts';
import type { Script } from './script.ts';

/** Not a bare `Uint8Array`: the client would send it as the text of its numbers. */
export type Argument = string | number | Buffer;
type Lost = 'ERR_MEMPOOL_UNAVAILABLE' | 'ERR_MEMPOOL_OUTCOME_UNKNOWN';

/** One connection. It tells of every failed command whether it was sent, and repeats none but in `run`. */
export class Connection {
  readonly #client: Redis;
  readonly #options: DriverOptions;
  /** What the last attempt to connect met: nothing else tells a wrong password from a server that is away. */
  #trouble: unknown = null;

  constructor(options: DriverOptions & RedisOptions) {
    this.#options = options;
    this.#client = createClient(options, options.timeoutMs);
    this.#client.on('error', (error: unknown) => {
      this.#trouble = withoutArguments(error);
    });
    this.#client.on('connect', () => {
      this.#trouble = null;
    });
    this.#client.connect().catch(() => undefined);
  }

  /** X5: sends the script until it is answered or the time is used up. */
  run<Reply>(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    signal?: AbortSignal | undefined,
  ): Promise<Reply> {
    const { timeoutMs, clock } = this.#options;
    const lost = script.writes ? 'ERR_MEMPOOL_OUTCOME_UNKNOWN' : 'ERR_MEMPOOL_UNAVAILABLE';
    const sent = [keys.length, ...keys, ...args];
    return retryUntil({ timeoutMs, clock, signal }, async (remainingMs) => {
      try {
        return await this.send<Reply>('EVALSHA', [script.sha, ...sent], remainingMs, lost);
      } catch (error) {
        if (!isReply(error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return await this.send<Reply>('EVAL', [script.source, ...sent], remainingMs, lost);
      }
    });
  }

  /** One command, sent once. `lost`: what it means when the answer does not come. */
  async send<Reply>(
    name: string,
    args: readonly Argument[],
    timeoutMs: number,
    lost: Lost = 'ERR_MEMPOOL_UNAVAILABLE',
  ): Promise<Reply> {
    this.#assertReady();
    try {
      return await this.#answer(this.#client.callBuffer(name, ...args) as Promise<Reply>, timeoutMs);
    } catch (cause) {
      const error = withoutArguments(cause);
      if (isReply(error)) throw refusal(error, name);
      throw new MempoolError(lost, `no answer from Redis: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Frees the socket at once; what was not answered is rejected. */
  close(): void {
    this.#client.disconnect();
  }

  #assertReady(): void {
    const trouble = this.#trouble;
    const refused = isReply(trouble) ? refusal(trouble, 'SELECT') : null;
    if (isMempoolError(refused)) throw refused;
    const { status, stream } = this.#client;
    if (status === 'ready' && stream.writable && refused === null) return;
    const why = trouble instanceof Error ? trouble.message : status;
    throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', `Redis is out of reach: ${why}`, { cause: trouble });
  }

  /** A connection that gives no answer in time is given up, so that the next call does not wait behind it. */
  #answer<Reply>(reply: Promise<Reply>, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`none within ${Math.round(timeoutMs)} ms`));
        this.#client.disconnect(true);
      }, timeoutMs);
      reply.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
