import { Buffer } from 'node:buffer';
import type { Redis } from 'ioredis';
import { type DriverOptions, isMempoolError, MempoolError, retryUntil } from 'mempool-core';
import { createClient, type RedisOptions } from './options.ts';
import type { Reply } from './reply.ts';
import { isReplyError, refusal, saysCode, withoutArguments } from './reply-error.ts';
import type { Script } from './script.ts';

export type Argument = string | number | Uint8Array;

/** One connection. It says of every failed command whether it was sent, and repeats none but within `run`. */
export class Connection {
  readonly #client: Redis;
  readonly #options: DriverOptions;
  /** Why the last attempt to connect ended: nothing else tells a wrong password from a server that is away. */
  #trouble: unknown = null;

  constructor(options: DriverOptions & RedisOptions) {
    this.#client = createClient(options, options.timeoutMs);
    this.#options = options;
    this.#client.on('error', (error: unknown) => {
      this.#trouble = withoutArguments(error);
    });
    this.#client.on('connect', () => {
      this.#trouble = null;
    });
    this.#client.connect().catch(() => undefined);
  }

  /** X5: sends the script until it is answered or the time is used up. */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    const { timeoutMs, clock } = this.#options;
    const sent = [keys.length, ...keys, ...args.map(argument)];
    return retryUntil({ timeoutMs, clock, signal }, (remainingMs) => this.#evaluate(script, keys, sent, remainingMs));
  }

  /** One command, sent once. */
  async command(name: string, args: readonly Argument[], remainingMs: number): Promise<Reply> {
    return this.#send(name, args.map(argument), [], remainingMs, 'ERR_MEMPOOL_UNAVAILABLE');
  }

  /** Frees the socket at once; what was not answered is rejected. */
  close(): void {
    this.#client.disconnect();
  }

  async #evaluate(
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer | number)[],
    remainingMs: number,
  ): Promise<Reply> {
    const lost = script.writes ? 'ERR_MEMPOOL_OUTCOME_UNKNOWN' : 'ERR_MEMPOOL_UNAVAILABLE';
    try {
      return await this.#send('EVALSHA', [script.sha, ...args], keys, remainingMs, lost);
    } catch (error) {
      if (!saysCode(error, 'NOSCRIPT')) throw error;
      return this.#send('EVAL', [script.source, ...args], keys, remainingMs, lost);
    }
  }

  async #send(
    name: string,
    args: readonly (string | Buffer | number)[],
    keys: readonly string[],
    remainingMs: number,
    lost: 'ERR_MEMPOOL_UNAVAILABLE' | 'ERR_MEMPOOL_OUTCOME_UNKNOWN',
  ): Promise<Reply> {
    this.#assertReady();
    try {
      return await this.#answer(this.#client.callBuffer(name, ...args) as Promise<Reply>, remainingMs);
    } catch (cause) {
      const error = withoutArguments(cause);
      if (isReplyError(error)) throw refusal(error, name, keys);
      throw new MempoolError(lost, `no answer from Redis: ${(error as Error).message}`, { cause: error });
    }
  }

  #assertReady(): void {
    const trouble = this.#trouble;
    if (isReplyError(trouble)) {
      const known = refusal(trouble, 'AUTH', []);
      throw isMempoolError(known) ? known : new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', trouble.message);
    }
    const { status, stream } = this.#client;
    if (status === 'ready' && stream.writable) return;
    const why = trouble instanceof Error ? trouble.message : status;
    throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', `Redis is out of reach: ${why}`, { cause: trouble });
  }

  /** A connection that gives no answer in time is given up, so that the next call does not wait behind it. */
  #answer(reply: Promise<Reply>, remainingMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`none within ${Math.round(remainingMs)} ms`));
        this.#client.disconnect(true);
      }, remainingMs);
      reply.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

/** The client would send a bare `Uint8Array` as the text of its numbers. */
function argument(value: Argument): string | Buffer | number {
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) return value as string | Buffer | number;
  return Buffer.from(value.buffer, value.byteOffset, value.length);
}
