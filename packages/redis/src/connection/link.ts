import type { Redis } from 'ioredis';
import { isMempoolError, MempoolError } from 'mempool-core';
import { closeClient, createClient } from './client.ts';
import type { RedisOptions } from './options.ts';
import { isReply, refusal, tlsRefusal, withoutArguments } from './refusal.ts';
import { distrustSentinel, SentinelError } from './sentinel.ts';
import { Silence } from './silence.ts';
import { guardedKeys, isRedirected, serverOf } from './slot-client.ts';
import { destroyOnError, dropConnection, limitHandshake } from './socket.ts';

/** The code of the error of a command without an answer. */
export type UnansweredCode = 'ERR_MEMPOOL_UNAVAILABLE' | 'ERR_MEMPOOL_OUTCOME_UNKNOWN';

type LinkOptions = RedisOptions & {
  /** The time for a connection to be ready, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * How long the server may be silent, in milliseconds, before a command that is not answered in time drops the connection; default 0. Until
   * then the commands keep their order.
   */
  readonly silentMs?: number;
};

const leastMs = 50;

/** A Sentinel may name a dead master for a moment, so it is asked again. */
const longestHandshakeMs = 2_000;

/** One connection to the master. Its errors show whether a command was sent. It repeats nothing. */
export class Link {
  readonly #client: Redis;
  /** Whether the options are such that a replica is the mistake of a moment. */
  readonly #isWatched: boolean;
  /** Error of the last attempt to connect. Only this distinguishes a wrong password from an unreachable server. */
  #lastError: unknown = null;
  readonly #silence: Silence;
  #connections = 0;
  /** Where the connection leads; `null` if the options name the server. */
  #server: string | null = null;
  /** Whether a master has answered at some time. */
  #isProven = false;
  /** When the oldest command was sent since the last answer; `null` if there is none. */
  #silentSince: number | null = null;
  readonly #silentMs: number;
  /** Commands that have no answer yet. */
  #waiting = 0;
  /** The refusal of a server that was demoted, until a master has answered. */
  #demoted: MempoolError | null = null;
  /** True from that refusal until another connection is made. */
  #isLeaving = false;

  /**
   * `key` is one of the pool's, by which its server in a cluster is found. `onConnect` is called at each new connection, before anything
   * is sent on it.
   */
  constructor(options: LinkOptions, key: string, onConnect: () => void) {
    this.#client = createClient(options, key, { connectTimeout: options.timeoutMs, failoverDetector: true });
    this.#isWatched = options.sentinels !== undefined;
    this.#silentMs = options.silentMs ?? 0;
    this.#silence = new Silence(this.#client);
    this.#client.on('error', (error: unknown) => {
      this.#lastError = withoutArguments(error);
      this.#silence.failed(this.#lastError);
    });
    this.#client.on('connect', () => {
      this.#lastError = null;
      this.#silence.connected();
      this.#connections += 1;
      this.#server = serverOf(this.#client);
      this.#isLeaving = false;
      this.#silentSince = null;
      onConnect();
    });
    destroyOnError(this.#client);
    limitHandshake(this.#client, this.#isWatched ? Math.min(longestHandshakeMs, options.timeoutMs) : options.timeoutMs);
    this.#client.connect().catch(() => undefined);
  }

  /** Calls the listener each time a connection can take commands. */
  onReady(listener: () => void): void {
    this.#client.on('ready', listener);
  }

  /** The number of the present connection. Commands that were sent under the same number went to the same server, in order. */
  get connection(): number {
    return this.#connections;
  }

  /**
   * Sends a command once. `send` receives the client. `name` is for messages.
   *
   * @throws `lost` if no answer comes; `ERR_MEMPOOL_UNAVAILABLE` if it was not sent, or the server was demoted
   */
  async ask<Answer>(
    send: (client: Redis) => Promise<unknown>,
    name: string,
    timeoutMs: number,
    lost: UnansweredCode,
  ): Promise<Answer> {
    this.#assertReady(timeoutMs);
    this.#waiting += 1;
    this.#silentSince ??= performance.now();
    try {
      const answer = (await this.#answer(send(this.#client), timeoutMs)) as Answer;
      // An election and a pool ask for INFO before anything that a replica refuses.
      if (name !== 'INFO') this.#isProven = true;
      this.#silentSince = null;
      this.#silence.answered();
      this.#demoted = null;
      return answer;
    } catch (cause) {
      const error = withoutArguments(cause);
      if (isReply(error)) this.#silentSince = null;
      this.#silence.failed(error);
      if (isRedirected(this.#client, error)) {
        const words = `the slot moves: ${(error as Error).message}`;
        throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', words, { cause: error });
      }
      if (isReply(error)) throw this.#refused(error, name);
      throw (
        tlsRefusal(this.#lastError) ??
        new MempoolError(lost, `no answer from Redis: ${this.#silence.words('the connection was closed')}`, {
          cause: error,
        })
      );
    } finally {
      this.#waiting -= 1;
      if (this.#isLeaving && this.#waiting === 0) dropConnection(this.#client);
    }
  }

  /** Returns the keys to name in a script call. In a cluster, this is one more than the script's own. */
  keysOf(keys: readonly string[]): readonly string[] {
    return guardedKeys(this.#client, keys);
  }

  /** Sends a reading command once. Its answer consists of buffers. */
  read<Answer>(name: string, args: readonly (string | number)[], timeoutMs: number): Promise<Answer> {
    return this.ask((client) => client.callBuffer(name, ...args), name, timeoutMs, 'ERR_MEMPOOL_UNAVAILABLE');
  }

  /** False if the connections lead to two servers, as they may during a fail-over. */
  isWhere(other: Link): boolean {
    return this.#server === null || other.#server === null || this.#server === other.#server;
  }

  /** Closes the socket at once. Unanswered commands are rejected. */
  close(): void {
    closeClient(this.#client);
  }

  /**
   * A master that became a replica does not take the call, but its successor will. When the calls under way are answered, the address
   * is looked up again, from the Sentinels or by its name.
   */
  #refused(reply: Error, name: string): Error {
    const error = refusal(reply, name);
    if (!isMempoolError(error, 'ERR_MEMPOOL_READ_ONLY')) return error;
    if (!this.#isWatched && !this.#isProven) return error;
    if (!this.#isLeaving) distrustSentinel(this.#client);
    this.#isLeaving = true;
    this.#demoted = error;
    return demotion(error);
  }

  #assertReady(timeoutMs: number): void {
    // A call whose last attempts met a replica ends as such, and not with an answer that came too late.
    const isTooLate = timeoutMs < leastMs;
    if (this.#demoted !== null && (this.#isLeaving || isTooLate)) throw demotion(this.#demoted);
    const lastError = this.#lastError;
    const refused = isReply(lastError) ? refusal(lastError, 'SELECT') : (tlsRefusal(lastError) ?? this.#unnamed());
    if (isMempoolError(refused)) throw refused;
    const { status, stream } = this.#client;
    if (status === 'ready' && stream.writable && refused === null) return;
    const words = `Redis is out of reach: ${this.#silence.words(status)}`;
    throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', words, { cause: lastError });
  }

  /** The error if the Sentinels will not name a master however often they are asked; else `null`. */
  #unnamed(): MempoolError | null {
    const error = this.#lastError;
    if (!(error instanceof SentinelError) || this.#connections > 0) return null;
    switch (error.reason) {
      case 'unreachable':
        return null;
      case 'refused':
        return new MempoolError('ERR_MEMPOOL_AUTH', `a Sentinel refuses the client: ${error.message}`);
      case 'unknown master':
        return new MempoolError('ERR_MEMPOOL_INVALID', `masterName is known to no Sentinel: ${error.message}`, {
          field: 'masterName',
        });
    }
  }

  /** Drops a connection that is silent for too long, so that the next call does not wait for it. */
  #answer<Answer>(reply: Promise<Answer>, timeoutMs: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`none within ${Math.round(timeoutMs)} ms`));
        const silentMs = this.#silentSince === null ? 0 : performance.now() - this.#silentSince;
        if (silentMs >= this.#silentMs) dropConnection(this.#client);
      }, timeoutMs);
      reply.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

function demotion(error: MempoolError): MempoolError {
  return new MempoolError('ERR_MEMPOOL_UNAVAILABLE', error.message, { cause: error });
}
