import { type Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
import type { Address } from './slot-route.ts';
import { destroyOnError, dropConnection } from './socket.ts';

/** A Sentinel that is slower is passed over, and the next one asked. */
const sentinelMs = 1_000;

/** Why no Sentinel named a master: one refuses the client, none knows the name, or some are out of reach. */
type Reason = 'unreachable' | 'refused' | 'unknown master';

/** The error if none of the Sentinels named a master. */
export class SentinelError extends Error {
  readonly reason: Reason;

  /** `answers`: the answer or error of each Sentinel. */
  constructor(answers: readonly string[]) {
    super(`no Sentinel names a master: ${answers.join('; ') || 'none answers'}`);
    this.reason = reasonOf(answers);
  }
}

function reasonOf(answers: readonly string[]): Reason {
  if (answers.some((each) => /because (NOAUTH|WRONGPASS|NOPERM|DENIED) /.test(each))) return 'refused';
  // One that is out of reach may know the name, while the rest do not, or not yet.
  const isUnknown = answers.every((each) => /invalid reply: null$|because ERR No such master/.test(each));
  return isUnknown && answers.length > 0 ? 'unknown master' : 'unreachable';
}

const closed = 'Connection is closed.';

/** The client gives options to a connection only if it listens for fail-overs on it. */
type OpenSentinel = (endpoint: unknown, options?: object) => Redis;

type ResolveMaster = (sentinel: unknown) => Promise<Address | null>;

/** On this channel Sentinels announce fail-overs. */
const announcements = '+switch-master';

/**
 * The client's own Sentinel support, with three differences. If no Sentinel names a master, there is one error with the reasons.
 * Errors of connections to Sentinels are not printed, and do not end the process. A Sentinel that named a replica is asked last.
 */
export class SentinelLookup extends SentinelConnector {
  /** Of the Sentinel that failed last. The client itself only reports a closed connection. */
  #reason = '';
  /** The master that was named last. */
  #server: string | null = null;

  get server(): string | null {
    return this.#server;
  }

  constructor(options: unknown) {
    super({ sentinelCommandTimeout: sentinelMs, ...(options as SentinelConnectionOptions) });
    const resolve: ResolveMaster = Reflect.get(this, 'resolve').bind(this);
    const noted: ResolveMaster = async (sentinel) => {
      const named = await resolve(sentinel);
      if (named !== null) this.#server = `${named.host}:${named.port}`;
      return named;
    };
    Reflect.set(this, 'resolve', noted);
    const open: OpenSentinel = Reflect.get(this, 'connectToSentinel').bind(this);
    const quiet: OpenSentinel = (endpoint, given) => {
      const client = open(endpoint, { ...given, connectTimeout: sentinelMs, autoResubscribe: false });
      client.on('error', ({ message }: Error) => {
        this.#reason = message;
      });
      destroyOnError(client);
      // The client would subscribe again by itself, but a Sentinel that does not answer then would end the process.
      if (given !== undefined)
        client.on('ready', () => void client.subscribe(announcements).catch(() => dropConnection(client)));
      return client;
    };
    Reflect.set(this, 'connectToSentinel', quiet);
  }

  override async connect(emit: (type: string, error: Error) => void): ReturnType<SentinelConnector['connect']> {
    let answers: string[] = [];
    const stream = await super.connect((type, error) => {
      if (type === 'sentinelError') answers.push(error.message.replace(closed, this.#reason));
      if (type !== 'error') return emit(type, error);
      emit(type, new SentinelError(answers));
      answers = [];
    });
    // A TLS socket may report several errors, and the client listens for the first only.
    stream.on('error', () => stream.destroy());
    return stream;
  }
}

/** Records that the client's server is a replica, so that the client asks another Sentinel first. Does nothing without Sentinels. */
export function distrustSentinel(client: Redis): void {
  const connector: unknown = Reflect.get(client, 'connector');
  if (connector instanceof SentinelLookup) connector.check({ role: 'slave' });
}
