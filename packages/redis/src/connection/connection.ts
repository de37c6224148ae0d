import { isMempoolError, MempoolError } from 'mempool-core';
import { type DriverOptions, invalid, OrderedWriter, retryUntil } from 'mempool-core/backend';
import { Link } from './link.ts';
import { type Argument, runOn, type Script } from './lua-script.ts';
import { defaultReplicaMs, type RedisOptions, taggedPrefix } from './options.ts';
import { isPoolMissing } from './refusal.ts';
import { Replication, type ReplicationOptions, unconfirmed } from './replication.ts';
import { type Reply, scripts, type Verb, waitKeyOf } from './script.ts';
import { lateBehind, Settling, within } from './settling.ts';

export interface RunContext {
  readonly signal?: AbortSignal | undefined;
  readonly createPool?: (timeoutMs: number) => Promise<unknown>;
  /** A promise that the call waits for first. The wait counts towards the call's time. */
  readonly behind?: (() => Promise<unknown>) | undefined;
}

/** The options of a connection. The keys begin with `keyPrefix`, or with `pool` if there is none. */
export type ConnectionOptions = RedisOptions & Pick<DriverOptions, 'pool' | 'timeoutMs' | 'clock'>;

/** A server that takes longer to refuse or answer a probe is left. */
const probeMs = 1_000;

/** Sends commands to the master, on one connection, or on a second one for writes with `minReplicas`. Only `run` repeats commands. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #writer = new OrderedWriter();
  readonly #reads: Link;
  readonly #writes: Link;
  readonly #replication: Replication | null;
  /** Writes that are on their way: a read on the other connection must not overtake them. */
  readonly #sent = new Settling();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const replication = replicationOptions(options);
    this.#writes = openLink(options, () => this.#writer.distrust());
    this.#reads = replication === null ? this.#writes : openLink(options, () => undefined);
    this.#replication = replication === null ? null : new Replication(this.#writes, replication);
  }

  /**
   * Sends the script until it is answered or the time is over (X5). Writes are sent in the order of the calls. It runs `createPool` if
   * there is no pool (after a flush, or a restart without persistence), or if a key has another type, which its error then names.
   */
  run<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly Argument[],
    context: RunContext = {},
  ): Promise<Reply<V>> {
    return this.execute<Reply<V>>(scripts[verb], keys, args, context);
  }

  /** Does the same as `run`, for a script of another kind of store. */
  async execute<Answer>(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    { signal, createPool, behind }: RunContext = {},
  ): Promise<Answer> {
    const { timeoutMs, clock } = this.#options;
    const call: Call = { script, args: [this.#reads.keysOf(keys), args] };
    let gone = false;
    const attempt = async (remainingMs: number) => {
      const deadline = clock() + remainingMs;
      const failure = await behind?.();
      if (clock() >= deadline) throw lateBehind(failure);
      if (gone) await createPool?.(remainingMs);
      gone = false;
      try {
        return await this.#answered<Answer>(call, Math.max(1, deadline - clock()));
      } catch (error) {
        gone = createPool !== undefined && isPoolMissing(error);
        throw gone ? new MempoolError('ERR_MEMPOOL_UNAVAILABLE', (error as Error).message, { cause: error }) : error;
      }
    };
    const options = { timeoutMs, clock, signal };
    try {
      return await (script.writes ? this.#writer.run(options, attempt) : retryUntil(options, attempt));
    } catch (error) {
      throw finalError(error);
    }
  }

  /** Sends the script once. @throws Unconfirmed if too few replicas have a write */
  async runOnce<V extends Verb>(
    verb: V,
    keys: readonly string[],
    args: readonly Argument[],
    timeoutMs: number,
  ): Promise<Reply<V>> {
    return this.#answered<Reply<V>>({ script: scripts[verb], args: [this.#reads.keysOf(keys), args] }, timeoutMs);
  }

  /** Sends a reading command once. */
  send<Answer>(name: string, args: readonly (string | number)[], timeoutMs: number): Promise<Answer> {
    return this.#reads.read(name, args, timeoutMs);
  }

  /** False if reads go to another server than commands on `link`, as they may during a fail-over. */
  isWhere(link: Link): boolean {
    return this.#reads.isWhere(link);
  }

  /** Tries the command that waits for replicas, if writes do. @throws `ERR_MEMPOOL_PERMISSION` naming it */
  async probeWait(): Promise<void> {
    if (this.#replication === null) return;
    const { timeoutMs, clock } = this.#options;
    await retryUntil({ timeoutMs, clock, signal: undefined }, (remainingMs) =>
      this.#writes.ask((client) => client.call('WAIT', 0, 1), 'WAIT', remainingMs, 'ERR_MEMPOOL_UNAVAILABLE'),
    );
  }

  /** Closes the sockets at once. Unanswered commands are rejected. */
  close(): void {
    this.#reads.close();
    this.#writes.close();
  }

  /** The answer, of a write when enough replicas have it. */
  async #answered<Answer>(call: Call, timeoutMs: number): Promise<Answer> {
    if (this.#replication === null) return sendScript<Answer>(this.#writes, call, timeoutMs);
    const { clock } = this.#options;
    const deadline = clock() + timeoutMs;
    const leftMs = (): number => Math.max(1, deadline - clock());
    if (!call.script.writes) {
      await this.#sent.settled(timeoutMs);
      return sendScript<Answer>(this.#reads, call, leftMs());
    }
    const answer = sendScript<Answer>(this.#writes, call, timeoutMs);
    this.#sent.add(answer);
    const confirmed = this.#replication.confirmed();
    const reply = await answer;
    const late = new MempoolError(
      'ERR_MEMPOOL_OUTCOME_UNKNOWN',
      'the master has the write, and its replicas take long',
    );
    await within(confirmed, leftMs(), late);
    this.#assertOneServer(this.#replication.options);
    return reply;
  }

  /**
   * During a fail-over Sentinels may name two masters. A reader at one master does not learn that the other loses this write. So the write is
   * sent again, until both connections lead to one server.
   */
  #assertOneServer({ key }: ReplicationOptions): void {
    const [reads, writes] = [this.#reads, this.#writes];
    if (reads.isWhere(writes)) return;
    // A server that is frozen, or was demoted, is left by this.
    reads
      .ask((client) => client.call('HDEL', key, '-'), 'HDEL', probeMs, 'ERR_MEMPOOL_UNAVAILABLE')
      .catch(() => undefined);
    throw new MempoolError(
      'ERR_MEMPOOL_OUTCOME_UNKNOWN',
      'a fail-over is under way: two servers were named as the master',
    );
  }
}

function openLink(options: ConnectionOptions, onConnect: () => void): Link {
  return new Link(options, taggedPrefix(options.keyPrefix ?? options.pool), onConnect);
}

/** A script, its keys and its arguments. */
interface Call {
  readonly script: Script;
  readonly args: readonly [keys: readonly string[], args: readonly Argument[]];
}

function sendScript<Answer>(link: Link, { script, args }: Call, timeoutMs: number): Promise<Answer> {
  const lost = script.writes ? 'ERR_MEMPOOL_OUTCOME_UNKNOWN' : 'ERR_MEMPOOL_UNAVAILABLE';
  return link.ask<Answer>((client) => runOn(client, script, ...args), 'EVALSHA', timeoutMs, lost);
}

/** Returns the error of a call after its last attempt: read-only for a server that stayed a replica, unknown for too few replicas. */
export function finalError(error: unknown): unknown {
  const isDemoted =
    isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE') && isMempoolError(error.cause, 'ERR_MEMPOOL_READ_ONLY');
  return isDemoted ? error.cause : unconfirmed(error);
}

/** `null` if no write waits for replicas. @throws `ERR_MEMPOOL_INVALID` naming the option */
function replicationOptions(options: ConnectionOptions): ReplicationOptions | null {
  const {
    minReplicas = 0,
    timeoutMs,
    replicaTimeoutMs = Math.min(defaultReplicaMs, timeoutMs),
    keyPrefix,
    pool,
  } = options;
  if (!Number.isInteger(minReplicas) || minReplicas < 0) throw invalid('minReplicas', 'a whole number of at least 0');
  if (!Number.isInteger(replicaTimeoutMs) || replicaTimeoutMs < 1 || replicaTimeoutMs > timeoutMs)
    throw invalid('replicaTimeoutMs', 'a whole number of milliseconds from 1 to timeoutMs');
  const key = waitKeyOf(taggedPrefix(keyPrefix ?? pool));
  return minReplicas === 0 ? null : { minReplicas, replicaTimeoutMs, key, timeoutMs };
}
