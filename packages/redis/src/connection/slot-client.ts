import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, Redis } from 'ioredis';
import { type Address, type ClientOptions, isSlotMoving, type SlotRoute } from './slot-route.ts';
import { dropConnection } from './socket.ts';

const longestPauseMs = 500;
const firstPauseMs = 10;

/** A client that is always connected to the present master of one slot. */
export class SlotClient extends Redis {
  readonly route: SlotRoute;

  constructor(route: SlotRoute, options: ClientOptions) {
    super({ ...options, Connector: connectorOn(route, options) });
    this.route = route;
  }
}

/** True for a client of a Redis Cluster. */
export function isRouted(client: Redis): boolean {
  return client instanceof SlotClient;
}

/**
 * True if the error means that the slot of a cluster moves, has moved, or has no master now. The call had no effect. If the slot is on
 * another server, it drops the connection, so that the client connects to the slot's master.
 */
export function isRedirected(client: Redis, error: unknown): boolean {
  if (!(client instanceof SlotClient)) return false;
  if (client.route.learn(error)) dropConnection(client);
  return isSlotMoving(error);
}

/**
 * Returns the keys of a call and one more, which never exists. While a slot moves, a server refuses calls that name a missing key.
 * Without it, the server could begin a script whose next key is on the other server already, and stop in the middle of it.
 */
export function guardedKeys(client: Redis, keys: readonly string[]): readonly string[] {
  const [first = ''] = keys;
  return isRouted(client) ? [...keys, `${first.slice(0, first.lastIndexOf(':'))}:moving`] : keys;
}

/** A connector that knows to which server it leads. */
interface Routed {
  readonly server: string | null;
}

/** Returns the `host:port` that Sentinels or a cluster chose for the client; `null` if the options name the server. */
export function serverOf(client: Redis): string | null {
  const connector: Partial<Routed> | undefined = Reflect.get(client, 'connector');
  return connector?.server ?? null;
}

/** Asks for the slot's master each time a connection is made. The client has no such step, except for Sentinel. */
function connectorOn(route: SlotRoute, options: ClientOptions): new () => AbstractConnector {
  return class extends AbstractConnector implements Routed {
    server: string | null = null;

    constructor() {
      super(0);
    }

    /** Connects. It never gives up, because the client does not try again after an error of a connector. */
    override async connect(emit: (type: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
        const found = await route.master().catch((error: Error) => error);
        if (!this.connecting) throw new Error('the connection is closed');
        if (!(found instanceof Error)) {
          this.server = `${found.host}:${found.port}`;
          const socket = open(found, options);
          this.stream = socket;
          return socket;
        }
        emit('error', found);
        await pause(pauseMs, undefined, { ref: false });
      }
    }
  };
}

function open(master: Address, { family, tls }: ClientOptions): Socket {
  const place = { ...master, family: family ?? 0 };
  const socket = tls ? connectTls({ ...place, ...tls }) : createConnection(place);
  // The client listens for the first error only. After a TLS error a second one may come, which would end the process.
  socket.on('error', () => socket.destroy());
  return socket;
}
