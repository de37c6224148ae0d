import { Command, Redis, type RedisOptions } from 'ioredis';
import { invalid } from 'mempool-core/backend';
import { isReply, withoutArguments } from './refusal.ts';
import { destroyOnError } from './socket.ts';

/** The options of a client of ioredis that speaks RESP 2. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

/** The address at which a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The parts that `SlotRoute` needs to find a slot's master. */
export interface RouteParts {
  /** Returns the nodes that are known at the start. */
  readonly seeds: () => readonly Address[];
  /** Returns the address that reaches a node from here, for the address that the cluster names. */
  readonly reachedAt: (node: Address) => Address;
  /** User, password and TLS, the same for all nodes. */
  readonly credentials: ClientOptions;
  /** How long to wait for one node, in milliseconds. */
  readonly timeoutMs: number;
}

/** From the answer of CLUSTER SLOTS. The host is empty or `null` if the node does not know how it is reached. */
type SlotRange = readonly [first: number, last: number, ...nodes: (readonly [host: string | null, port: number])[]];

/** Errors after which the slot is looked for again. */
const elsewhere = /^(MOVED|CLUSTERDOWN) /;
/** Errors while a slot moves. Nothing was carried out. */
const passing = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN) /;

/** Finds the master of one slot of a Redis Cluster, from the nodes' answers and from errors of servers that lost the slot. */
export class SlotRoute {
  readonly #parts: RouteParts;
  readonly #slot: number;
  /** Named by the last answer of CLUSTER SLOTS. */
  #known: readonly Address[] = [];
  /** Named by a MOVED error: the next connection goes there. */
  #named: Address | null = null;
  #asked = 0;

  constructor(key: string, parts: RouteParts) {
    this.#slot = slotOf(key);
    this.#parts = parts;
  }

  /**
   * Returns the master, as one node reports it. Each call asks another node first, because a node may be cut off from the rest.
   *
   * @throws the error of the last node, if none answers
   */
  async master(): Promise<Address> {
    const named = this.#named;
    this.#named = null;
    if (named !== null) return named;
    const nodes = distinct([...this.#known, ...this.#parts.seeds()]);
    let failure: unknown = new Error('no node of the cluster is known');
    this.#asked += 1;
    for (let i = 0; i < nodes.length; i += 1) {
      const node = nodes[(this.#asked + i) % nodes.length] as Address;
      try {
        return this.#readMaster(await this.#ask(node), node);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** Updates the route from an error of the server. Returns true if the next connection should go to another server. */
  learn(error: unknown): boolean {
    if (!isReply(error) || !elsewhere.test(error.message)) return false;
    const place = /^MOVED \d+ (\S*):(\d+)$/.exec(error.message);
    // Without a host it is the server that answered, at another port: then the nodes are asked.
    if (place?.[1]) this.#named = this.#parts.reachedAt({ host: place[1], port: Number(place[2]) });
    return true;
  }

  /** The answer of one node to CLUSTER SLOTS. */
  async #ask(node: Address): Promise<readonly SlotRange[]> {
    const { credentials, timeoutMs } = this.#parts;
    const client = new Redis({
      ...credentials,
      ...node,
      ...asking,
      connectTimeout: timeoutMs,
      commandTimeout: timeoutMs,
    });
    let reason: unknown = null;
    client.on('error', (error: unknown) => {
      reason = withoutArguments(error);
    });
    destroyOnError(client);
    try {
      await client.connect();
      return (await client.call('CLUSTER', 'SLOTS')) as SlotRange[];
    } catch (error) {
      throw reason ?? withoutArguments(error);
    } finally {
      client.disconnect();
    }
  }

  #readMaster(ranges: readonly SlotRange[], asked: Address): Address {
    const { reachedAt } = this.#parts;
    const place = ([host, port]: SlotRange[2]): Address =>
      host ? reachedAt({ host, port }) : { host: asked.host, port };
    this.#known = ranges.flatMap(([, , ...nodes]) => nodes.map(place));
    const owner = ranges.find(([first, last]) => first <= this.#slot && this.#slot <= last)?.[2];
    if (owner === undefined) throw new Error(`CLUSTERDOWN no server of the cluster has slot ${this.#slot}`);
    return place(owner);
  }
}

/** For one question: nothing is repeated. */
const asking: ClientOptions = {
  protocol: 2,
  lazyConnect: true,
  disableClientInfo: true,
  enableReadyCheck: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disconnectTimeout: 0,
  retryStrategy: null,
};

/** True for an error reply which means that the slot moves, has moved, or has no master now. The call had no effect. */
export function isSlotMoving(error: unknown): error is Error {
  return isReply(error) && passing.test(error.message);
}

function slotOf(key: string): number {
  return new Command('GET', [key]).getSlot() as number;
}

function distinct(nodes: readonly Address[]): Address[] {
  return [...new Map(nodes.map((node) => [`${node.host}:${node.port}`, node])).values()];
}

/** Parses an address. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function readAddress(field: string, given: unknown): Address {
  const [, bracketed, plain, port] =
    /^(?:\[([\da-f:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/i.exec(typeof given === 'string' ? given : '') ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) throw invalid(field, 'of the form host:port');
  return { host, port: Number(port) };
}
