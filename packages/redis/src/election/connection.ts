import { isMempoolError } from 'mempool-core';
import { ElectionError } from 'mempool-election';
import type { Link } from '../connection/link.ts';
import { electionError } from './refusal.ts';
import { type Reply, scripts, type Verb } from './script.ts';

/** The number of replicas that must have a lease, and the time that they may take. */
export interface LeaseReplication {
  readonly minReplicas: number;
  readonly waitMs: number;
}

interface ConnectionParts {
  readonly link: Link;
  readonly timeoutMs: number;
  /** True if Sentinels watch the master. Then a replica in the master's place is a temporary error. */
  readonly isWatched: boolean;
  /** The replicas that a lease waits for; `null` for none. */
  readonly replication: LeaseReplication | null;
}

/** The verbs after which a node may lead: they wait for replicas. */
const leasing: ReadonlySet<Verb> = new Set(['campaign', 'renew', 'reinstate']);

/** The connection for the election's scripts. A script is sent once, or refused if there is no connection. */
export class ElectionConnection {
  readonly #parts: ConnectionParts;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
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
    const named = this.#parts.link.keysOf(keys);
    const sent = this.#ask(verb, 'EVAL', scripts[verb].source, named.length, ...named, ...args);
    // In the same turn, so on the same connection.
    const waited = leasing.has(verb) ? this.#wait() : null;
    const reply = await sent;
    if (waited !== null && isLease(reply)) await this.#confirmed(waited);
    return reply as Reply<V>;
  }

  /** Tries the command that a lease needs in addition to the scripts. */
  async probeWait(): Promise<void> {
    if (this.#parts.replication !== null) await this.#ask('WAIT', 'WAIT', 0, 1);
  }

  /** Returns the answer of INFO; empty if the server forbids it. */
  info(): Promise<string> {
    return this.#ask('INFO', 'INFO', 'server').then(String, (error: ElectionError) => {
      if (error.code === 'ERR_ELECTION_UNAVAILABLE') throw error;
      return '';
    });
  }

  close(): void {
    this.#parts.link.close();
  }

  async #ask(name: string, command: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const { link, timeoutMs, isWatched } = this.#parts;
    try {
      return await link.ask((client) => client.call(command, ...args), command, timeoutMs, 'ERR_MEMPOOL_UNAVAILABLE');
    } catch (error) {
      throw electionError(isWatched ? error : readOnlyIn(error), name);
    }
  }

  /** Asks how many replicas have all writes of this connection; `null` if that does not matter. */
  #wait(): Promise<unknown> | null {
    const { replication } = this.#parts;
    if (replication === null) return null;
    const waited = this.#ask('WAIT', 'WAIT', replication.minReplicas, replication.waitMs);
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
}

/** The refusal of a server that became a replica, if that is the cause of the error; else the error. */
function readOnlyIn(error: unknown): unknown {
  return isMempoolError(error) && isMempoolError(error.cause, 'ERR_MEMPOOL_READ_ONLY') ? error.cause : error;
}

function isLease(reply: unknown): boolean {
  return Array.isArray(reply) && (reply[0] === 'won' || reply[0] === 'renewed');
}
