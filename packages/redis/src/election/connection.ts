import type { Redis } from 'ioredis';
import { type ElectionClock, ElectionError } from 'mempool-election';
import { isReply, withoutArguments } from '../connection/refusal.ts';
import { destroyOnError, isTlsRefusal } from '../connection/socket.ts';
import { electionError } from './refusal.ts';
import { type Reply, scripts, type Verb } from './script.ts';

export interface ConnectionParts {
  readonly client: Redis;
  /** False for the caller's own client. */
  readonly owned: boolean;
  readonly clock: ElectionClock;
  /** After this time without any answer `dropConnections` is called. */
  readonly silentMs: number;
  readonly dropConnections: () => void;
}

/** The connection for the election's scripts. A script is sent once, or refused while there is no connection. */
export class ElectionConnection {
  readonly #parts: ConnectionParts;
  /** Error of the last attempt to connect. Only this tells a wrong password from an unreachable server. */
  #lastError: unknown = null;
  /** When the oldest unanswered command was sent. */
  #silentSince: number | null = null;
  #closed = false;
  readonly #unguard: () => void;
  readonly #onError = (error: unknown): void => {
    this.#lastError = withoutArguments(error);
  };
  readonly #onConnect = (): void => {
    this.#lastError = null;
    this.#silentSince = null;
  };

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    parts.client.on('error', this.#onError);
    parts.client.on('connect', this.#onConnect);
    this.#unguard = destroyOnError(parts.client);
    if (parts.client.status === 'wait') parts.client.connect().catch(() => undefined);
  }

  /**
   * Sends the whole source every time: EVALSHA might need a second command, and twice the agreed time. Commands keep their order after
   * a timeout, so a release is executed after the campaign that it undoes.
   */
  async run<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly (string | number)[] = [],
  ): Promise<Reply<V>> {
    this.#assertReady(verb);
    const { client, clock } = this.#parts;
    this.#silentSince ??= clock.monotonicMs();
    try {
      const reply = await client.call('EVAL', scripts[verb].source, keys.length, ...keys, ...args);
      this.#silentSince = null;
      return reply as Reply<V>;
    } catch (error) {
      const cause = withoutArguments(error);
      this.#failed(cause);
      const isRefused = !isReply(cause) && isTlsRefusal(this.#lastError);
      throw electionError(isRefused ? this.#lastError : cause, verb);
    }
  }

  /** The answer of INFO; empty if the server forbids it. */
  async info(): Promise<string> {
    this.#assertReady('INFO');
    try {
      return await this.#parts.client.info('server');
    } catch (error) {
      const cause = withoutArguments(error);
      if (isReply(cause)) return '';
      throw electionError(cause, 'INFO');
    }
  }

  /** Removes all listeners from a caller's own client. Our own client keeps its error listener while it closes. */
  close(): void {
    this.#closed = true;
    if (this.#parts.owned) return;
    this.#parts.client.off('error', this.#onError).off('connect', this.#onConnect);
    this.#unguard();
  }

  #assertReady(verb: string): void {
    const { status } = this.#parts.client;
    if (this.#closed) throw new ElectionError('ERR_ELECTION_UNAVAILABLE', 'the lease store is closed');
    if (isReply(this.#lastError)) throw electionError(this.#lastError, verb);
    if (status !== 'ready') throw electionError(this.#lastError ?? new Error(`the connection is at "${status}"`), verb);
  }

  /** A network may drop everything silently. After `silentMs` the connection is dropped, so that no old command is executed later than a lease lasts. */
  #failed(cause: unknown): void {
    if (isReply(cause)) {
      this.#silentSince = null;
      return;
    }
    const { clock, silentMs, dropConnections } = this.#parts;
    if (this.#silentSince !== null && clock.monotonicMs() - this.#silentSince >= silentMs) dropConnections();
  }
}
