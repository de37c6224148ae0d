import type { Redis } from 'ioredis';
import { isMempoolError, MempoolError } from 'mempool-core';
import { type DriverOptions, OrderedWriter, retryUntil } from 'mempool-core/backend';
import { createClient, type RedisOptions } from './options.ts';
import { isPoolMissing, isReply, refusal, tlsRefusal, withoutArguments } from './refusal.ts';
import { type Reply, type Script, scripts, type Verb } from './script.ts';
import { type Argument, ReusedMemory, ScriptCall } from './script-call.ts';
import { destroyOnError, dropConnection, limitHandshake } from './socket.ts';

type UnansweredCode = 'ERR_MEMPOOL_UNAVAILABLE' | 'ERR_MEMPOOL_OUTCOME_UNKNOWN';

export interface RunContext {
  readonly signal?: AbortSignal | undefined;
  readonly createPool?: (timeoutMs: number) => Promise<unknown>;
  /** The call waits for this first. The wait counts towards the call's time. */
  readonly behind?: (() => Promise<unknown>) | undefined;
}

/** One connection. Its errors tell whether a command was sent. Only `run` repeats commands. */
export class Connection {
  readonly #client: Redis;
  readonly #options: DriverOptions;
  /** Error of the last attempt to connect. Only this tells a wrong password from an unreachable server. */
  #lastError: unknown = null;
  readonly #writer = new OrderedWriter();
  /** Digests of the scripts that were sent in full on this connection. */
  readonly #loaded = new Set<string>();
  readonly #scratch = new ReusedMemory();

  constructor(options: DriverOptions & RedisOptions) {
    this.#options = options;
    this.#client = createClient(options, { connectTimeout: options.timeoutMs });
    this.#client.on('error', (error: unknown) => {
      this.#lastError = withoutArguments(error);
    });
    this.#client.on('connect', () => {
      this.#lastError = null;
      this.#loaded.clear();
      this.#writer.distrust();
    });
    destroyOnError(this.#client);
    limitHandshake(this.#client, options.timeoutMs);
    this.#client.connect().catch(() => undefined);
  }

  /**
   * X5: sends the script until it is answered or the time is over; writes in the order of the calls. `createPool` runs when there is no
   * pool (after a flush, or a restart without persistence), or for a key of another type, which its error names.
   */
  run<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly Argument[],
    { signal, createPool, behind }: RunContext = {},
  ): Promise<Reply<V>> {
    const { timeoutMs, clock } = this.#options;
    const script = scripts[verb];
    const call = new ScriptCall(script, keys, args, this.#scratch);
    let gone = false;
    const attempt = async (remainingMs: number) => {
      const deadline = clock() + remainingMs;
      if (behind !== undefined) await behind();
      if (clock() >= deadline) throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'earlier writes took all the time');
      if (gone) await createPool?.(remainingMs);
      gone = false;
      try {
        return await this.#runOnce<V>(script, call, Math.max(1, deadline - clock()));
      } catch (error) {
        gone = createPool !== undefined && isPoolMissing(error);
        throw gone ? new MempoolError('ERR_MEMPOOL_UNAVAILABLE', (error as Error).message, { cause: error }) : error;
      }
    };
    const options = { timeoutMs, clock, signal };
    return script.writes ? this.#writer.run(options, attempt) : retryUntil(options, attempt);
  }

  runOnce<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly Argument[],
    timeoutMs: number,
  ): Promise<Reply<V>> {
    const script = scripts[verb];
    return this.#runOnce<V>(script, new ScriptCall(script, keys, args, this.#scratch), timeoutMs);
  }

  /** Sends a reading command once. */
  send<Answer>(name: string, args: readonly (string | number)[], timeoutMs: number): Promise<Answer> {
    const command = () => this.#client.callBuffer(name, ...args) as Promise<Answer>;
    return this.#send(command, name, timeoutMs, 'ERR_MEMPOOL_UNAVAILABLE');
  }

  /** Closes the socket at once. Unanswered commands are rejected. */
  close(): void {
    this.#client.disconnect();
  }

  /** The first call on a connection sends the source, so that calls after it find the script loaded. */
  async #runOnce<V extends Verb>({ sha, writes }: Script, call: ScriptCall, timeoutMs: number): Promise<Reply<V>> {
    const lost = writes ? 'ERR_MEMPOOL_OUTCOME_UNKNOWN' : 'ERR_MEMPOOL_UNAVAILABLE';
    const command = this.#loaded.has(sha) ? call.byDigest() : call.inFull();
    const send = () => {
      this.#loaded.add(sha);
      return this.#client.sendCommand(command) as Promise<Reply<V>>;
    };
    try {
      const reply = await this.#send(send, command.name, timeoutMs, lost);
      call.end();
      return reply;
    } catch (error) {
      if (!isReply(error) || !error.message.startsWith('NOSCRIPT')) throw error;
      this.#loaded.clear();
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', error.message, { cause: error });
    }
  }

  /** `lost`: the code of the error when no answer comes. */
  async #send<Answer>(
    send: () => Promise<Answer>,
    name: string,
    timeoutMs: number,
    lost: UnansweredCode,
  ): Promise<Answer> {
    this.#assertReady();
    try {
      return await this.#answer(send(), timeoutMs);
    } catch (cause) {
      const error = withoutArguments(cause);
      if (isReply(error)) throw refusal(error, name);
      throw (
        tlsRefusal(this.#lastError) ??
        new MempoolError(lost, `no answer from Redis: ${(error as Error).message}`, { cause: error })
      );
    }
  }

  #assertReady(): void {
    const lastError = this.#lastError;
    const refused = isReply(lastError) ? refusal(lastError, 'SELECT') : tlsRefusal(lastError);
    if (isMempoolError(refused)) throw refused;
    const { status, stream } = this.#client;
    if (status === 'ready' && stream.writable && refused === null) return;
    const why = lastError instanceof Error ? lastError.message : status;
    throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', `Redis is out of reach: ${why}`, { cause: lastError });
  }

  /** Drops a connection that does not answer in time, so that the next call does not wait for it. */
  #answer<Answer>(reply: Promise<Answer>, timeoutMs: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`none within ${Math.round(timeoutMs)} ms`));
        dropConnection(this.#client);
      }, timeoutMs);
      reply.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
