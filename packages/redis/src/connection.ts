import type { Redis } from 'ioredis';
import { type DriverOptions, isMempoolError, MempoolError, retryUntil, WriteLine } from 'mempool-core';
import { createClient, type RedisOptions } from './options.ts';
import { isGone, isReply, refusal, withoutArguments } from './refusal.ts';
import { type Reply, scripts, type Verb } from './script.ts';

/** Not a bare `Uint8Array`: the client would send it as the text of its numbers. */
export type Argument = string | number | Buffer;
type Lost = 'ERR_MEMPOOL_UNAVAILABLE' | 'ERR_MEMPOOL_OUTCOME_UNKNOWN';

export interface RunContext {
  readonly signal?: AbortSignal | undefined;
  readonly createPool?: (timeoutMs: number) => Promise<unknown>;
  /** What the call is to come behind, which may take a part of its time. */
  readonly behind?: (() => Promise<unknown>) | undefined;
}

/** One connection. It tells of every failed command whether it was sent, and repeats none but in `run`. */
export class Connection {
  readonly #client: Redis;
  readonly #options: DriverOptions;
  /** What the last attempt to connect met: nothing else tells a wrong password from a server that is away. */
  #trouble: unknown = null;
  readonly #line = new WriteLine();
  /** Scripts sent in full on this connection. */
  readonly #loaded = new Set<string>();

  constructor(options: DriverOptions & RedisOptions) {
    this.#options = options;
    this.#client = createClient(options, { connectTimeout: options.timeoutMs });
    this.#client.on('error', (error: unknown) => {
      this.#trouble = withoutArguments(error);
    });
    this.#client.on('connect', () => {
      this.#trouble = null;
      this.#loaded.clear();
      this.#line.distrust();
    });
    this.#client.connect().catch(() => undefined);
  }

  /**
   * X5: sends the script until it is answered or the time is used up, writes in the order of the calls. `createPool` is for
   * one that finds no pool (a flush, a restart without persistence) or a key of another type, which is named there.
   */
  run<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly Argument[],
    { signal, createPool, behind }: RunContext = {},
  ): Promise<Reply<V>> {
    const { timeoutMs, clock } = this.#options;
    let gone = false;
    const attempt = async (remainingMs: number) => {
      const deadline = clock() + remainingMs;
      if (behind !== undefined) await behind();
      if (clock() >= deadline) throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'earlier writes took all the time');
      if (gone) await createPool?.(remainingMs);
      gone = false;
      try {
        return await this.runOnce(verb, keys, args, Math.max(1, deadline - clock()));
      } catch (error) {
        gone = createPool !== undefined && isGone(error);
        throw gone ? new MempoolError('ERR_MEMPOOL_UNAVAILABLE', (error as Error).message, { cause: error }) : error;
      }
    };
    const options = { timeoutMs, clock, signal };
    return scripts[verb].writes ? this.#line.run(options, attempt) : retryUntil(options, attempt);
  }

  /** The first call on a connection brings the script along: what comes behind it is not to find the script missing. */
  async runOnce<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly Argument[],
    timeoutMs: number,
  ): Promise<Reply<V>> {
    const { sha, source, writes } = scripts[verb];
    const [name, script] = this.#loaded.has(sha) ? (['EVALSHA', sha] as const) : (['EVAL', source] as const);
    const lost = writes ? 'ERR_MEMPOOL_OUTCOME_UNKNOWN' : 'ERR_MEMPOOL_UNAVAILABLE';
    const reply = this.send<Reply<V>>(name, [script, keys.length, ...keys, ...args], timeoutMs, lost);
    this.#loaded.add(sha);
    try {
      return await reply;
    } catch (error) {
      if (!isReply(error) || !error.message.startsWith('NOSCRIPT')) throw error;
      this.#loaded.clear();
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', error.message, { cause: error });
    }
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
