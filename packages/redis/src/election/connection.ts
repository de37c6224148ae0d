import type { Redis } from 'ioredis';
import { type ElectionClock, ElectionError } from 'mempool-election';
import { isReply, withoutArguments } from '../connection/refusal.ts';
import { destroyOnError, isTlsRefusal } from '../connection/socket.ts';
import { electionError } from './refusal.ts';
import { type Reply, scripts, type Verb } from './script.ts';

export interface ConnectionParts {
  readonly client: Redis;
  /** False for a caller's own. */
  readonly owned: boolean;
  readonly clock: ElectionClock;
  /** After so long without any answer `dropConnections` is called. */
  readonly silentMs: number;
  readonly dropConnections: () => void;
}

/** The connection that the election's scripts go by. Each is sent once, or not at all while there is no connection. */
export class ElectionConnection {
  readonly #parts: ConnectionParts;
  /** What the last attempt to connect met: nothing else tells a wrong password from a server that is away. */
  #lastError: unknown = null;
  /** When the oldest command was sent of those that got no answer. */
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
   * The whole script every time: one that the server may have forgotten would take two commands, and twice the time agreed.
   * One that timed out is in front of what comes behind it, so that a release follows the campaign it is to undo.
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

  /** What INFO says of the server; nothing where that is forbidden. */
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

  /** From a caller's own client all is taken off that was put on it; of ours what comes while it ends is told to nobody. */
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

  /** A network may swallow all without a word. What was sent then outlives no lease, should it come to be executed. */
  #failed(cause: unknown): void {
    if (isReply(cause)) {
      this.#silentSince = null;
      return;
    }
    const { clock, silentMs, dropConnections } = this.#parts;
    if (this.#silentSince !== null && clock.monotonicMs() - this.#silentSince >= silentMs) dropConnections();
  }
}
