import type { Redis } from 'ioredis';
import { type ElectionClock, ElectionError, isElectionError } from 'mempool-election';
import { isReply, unwrapped, withoutArguments } from '../connection/refusal.ts';
import { distrustSentinel } from '../connection/sentinel.ts';
import { Silence } from '../connection/silence.ts';
import { guardedKeys, isRedirected } from '../connection/slot-client.ts';
import { destroyOnError, isTlsRefusal } from '../connection/socket.ts';
import { demoted, electionError, slotMoves } from './refusal.ts';
import { type Reply, scripts, type Verb } from './script.ts';

export interface ConnectionParts {
  readonly client: Redis;
  /** False for the caller's own client. */
  readonly owned: boolean;
  readonly clock: ElectionClock;
  /** The time without any answer after which `dropConnections` is called, in milliseconds. */
  readonly silentMs: number;
  readonly dropConnections: () => void;
  /** The replicas that a lease waits for; `null` for none. */
  readonly replication: LeaseReplication | null;
  /** True if Sentinels watch the master. Then a replica in the master's place is a temporary error. */
  readonly isWatched: boolean;
}

/** The number of replicas that must have a lease, and the time that they may take. */
export interface LeaseReplication {
  readonly minReplicas: number;
  readonly waitMs: number;
}

/** The verbs after which a node may lead: they wait for replicas. */
const leasing: ReadonlySet<Verb> = new Set(['campaign', 'renew', 'reinstate']);

/** The connection for the election's scripts. A script is sent once, or refused if there is no connection. */
export class ElectionConnection {
  readonly #parts: ConnectionParts;
  /** Error of the last attempt to connect. Only this distinguishes a wrong password from an unreachable server. */
  #lastError: unknown = null;
  readonly #silence: Silence;
  /** When the oldest unanswered command was sent. */
  #silentSince: number | null = null;
  #wasConnected = false;
  #closed = false;
  readonly #unguard: () => void;
  readonly #onError = (error: unknown): void => {
    this.#lastError = withoutArguments(error);
    this.#silence.failed(this.#lastError);
  };
  readonly #onConnect = (): void => {
    this.#wasConnected = true;
    this.#silence.connected();
    this.#lastError = null;
    this.#silentSince = null;
  };

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#silence = new Silence(parts.client);
    parts.client.on('error', this.#onError);
    parts.client.on('connect', this.#onConnect);
    this.#unguard = destroyOnError(parts.client);
    if (parts.client.status === 'wait') parts.client.connect().catch(() => undefined);
  }

  /**
   * Runs a script. It always sends the whole source, because EVALSHA may need a second command and so twice the time. Commands keep
   * their order after a timeout, so a release is executed after the campaign that it undoes.
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
      const named = guardedKeys(client, keys);
      const sent = client.call('EVAL', scripts[verb].source, named.length, ...named, ...args);
      // In the same turn, so on the same connection.
      const waited = leasing.has(verb) ? this.#wait() : null;
      const reply = await sent;
      this.#silentSince = null;
      this.#silence.answered();
      if (waited !== null && isLease(reply)) await this.#confirmed(waited);
      return reply as Reply<V>;
    } catch (error) {
      const cause = withoutArguments(error);
      if (isElectionError(cause)) throw cause;
      this.#failed(cause);
      if (isRedirected(client, cause)) throw slotMoves(cause, verb);
      if (this.#parts.isWatched && isDemoted(cause)) throw demoted(cause, verb);
      const isRefused = !isReply(cause) && isTlsRefusal(this.#lastError);
      throw isRefused
        ? electionError(this.#lastError, verb)
        : this.#unanswered(cause, verb, 'the connection was closed');
    }
  }

  /** Tries the command that a lease needs in addition to the scripts. */
  async probeWait(): Promise<void> {
    if (this.#parts.replication === null) return;
    this.#assertReady('WAIT');
    await this.#parts.client.call('WAIT', 0, 1).catch((error: unknown) => {
      throw this.#unanswered(withoutArguments(error), 'WAIT', 'the connection was closed');
    });
  }

  /** Returns the answer of INFO; empty if the server forbids it. */
  async info(): Promise<string> {
    this.#assertReady('INFO');
    try {
      const answer = await this.#parts.client.info('server');
      this.#silence.answered();
      return answer;
    } catch (error) {
      const cause = withoutArguments(error);
      if (isReply(cause)) return '';
      throw this.#unanswered(cause, 'INFO', 'the connection was closed');
    }
  }

  /** Removes all listeners from a caller's own client. Our own client keeps its error listener while it closes. */
  close(): void {
    this.#closed = true;
    if (this.#parts.owned) return;
    this.#parts.client.off('error', this.#onError).off('connect', this.#onConnect);
    this.#unguard();
  }

  /** Asks how many replicas have all writes of this connection; `null` if that does not matter. */
  #wait(): Promise<unknown> | null {
    const { client, replication } = this.#parts;
    if (replication === null) return null;
    const waited = client.call('WAIT', replication.minReplicas, replication.waitMs);
    waited.catch(() => undefined);
    return waited;
  }

  /** @throws `ERR_ELECTION_UNAVAILABLE` if too few replicas have the lease: a master that lost them may be replaced already */
  async #confirmed(waited: Promise<unknown>): Promise<void> {
    const { minReplicas } = this.#parts.replication as LeaseReplication;
    const count = Number(await waited);
    if (count >= minReplicas) return;
    const words = `only ${count} of ${minReplicas} replicas have the lease`;
    throw new ElectionError('ERR_ELECTION_UNAVAILABLE', words);
  }

  /** The error of a command that was not answered. `otherwise` is the reason if the connection had no error. */
  #unanswered(cause: unknown, asked: string, otherwise: string): ElectionError {
    this.#silence.failed(cause);
    return electionError(cause, asked, { wasConnected: this.#wasConnected, words: this.#silence.words(otherwise) });
  }

  #assertReady(verb: string): void {
    const { status } = this.#parts.client;
    if (this.#closed) throw new ElectionError('ERR_ELECTION_UNAVAILABLE', 'the lease store is closed');
    if (isReply(this.#lastError)) throw electionError(this.#lastError, verb);
    if (status === 'ready') return;
    throw this.#unanswered(this.#lastError, verb, `the connection is at "${status}"`);
  }

  /** A network may drop everything silently. After `silentMs` the connection is dropped, so that no old command is executed later than a lease lasts. */
  #failed(cause: unknown): void {
    const { client, clock, silentMs, dropConnections } = this.#parts;
    if (isReply(cause)) {
      this.#silentSince = null;
      if (!isDemoted(cause)) return;
      // Its successor is looked up.
      distrustSentinel(client);
      dropConnections();
      return;
    }
    if (this.#silentSince !== null && clock.monotonicMs() - this.#silentSince >= silentMs) dropConnections();
  }
}

function isLease(reply: unknown): boolean {
  return Array.isArray(reply) && (reply[0] === 'won' || reply[0] === 'renewed');
}

function isDemoted(cause: unknown): cause is Error {
  return isReply(cause) && unwrapped(cause.message).startsWith('READONLY ');
}
