import type { Redis } from 'ioredis';
import { type DriverOptions, isMempoolError, MempoolError, retryUntil } from 'mempool-core';
import { createClient, type RedisOptions } from './options.ts';
import { isReply, refusal, withoutArguments } from './refusal.ts';
import { type Reply, scripts, type Verb } from './script.ts';

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
  run<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly Argument[],
    signal?: AbortSignal | undefined,
  ): Promise<Reply<V>> {
    const { timeoutMs, clock } = this.#options;
    const script = scripts[verb];
    const lost = script.writes ? 'ERR_MEMPOOL_OUTCOME_UNKNOWN' : 'ERR_MEMPOOL_UNAVAILABLE';
    const sent = [keys.length, ...keys, ...args];
    return retryUntil({ timeoutMs, clock, signal }, async (remainingMs) => {
      try {
        return await this.send<Reply<V>>('EVALSHA', [script.sha, ...sent], remainingMs, lost);
      } catch (error) {
        if (!isReply(error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return await this.send<Reply<V>>('EVAL', [script.source, ...sent], remainingMs, lost);
      }
    });
  }

  /** One command, sent once. `lost`: what it means when the answer does not come. */
  async send<Answer>(
    name: string,
    args: readonly Argument[],
    timeoutMs: number,
    lost: Lost = 'ERR_MEMPOOL_UNAVAILABLE',
  ): Promise<Answer> {
    this.#assertReady();
    try {
      return await this.#answer(this.#client.callBuffer(name, ...args) as Promise<Answer>, timeoutMs);
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
  #answer<Answer>(reply: Promise<Answer>, timeoutMs: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`none within ${Math.round(timeoutMs)} ms`));
        this.#client.disconnect(true);
      }, timeoutMs);
      reply.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
