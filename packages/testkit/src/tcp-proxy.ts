import type { Socket } from 'node:net';
import { TcpRelay } from './tcp-relay.ts';

/** The time at which the next script call is cut: before it reaches the server, after that, or after the server has answered. */
export type Cut = 'before the request' | 'after the request' | 'before the reply';

/** The message to hold back: the next script call, or its reply. */
export type Held = 'request' | 'reply';

/** A script call that is held back, with everything after it on its connection. */
export interface HeldCall {
  /** Resolves when the proxy has the call. */
  readonly caught: Promise<void>;
  /** Forwards the call, even if the client of a request is gone. Resolves when the server has answered. */
  letGo(): Promise<void>;
}

interface Trap {
  readonly accepts: (request: Buffer) => boolean;
  readonly held: Held;
  readonly caught: PromiseWithResolvers<void>;
  readonly answered: PromiseWithResolvers<void>;
  readonly kept: Buffer[];
  /** Where the kept bytes were going. */
  way: Socket | null;
  over: boolean;
}

/** The settings that all connections of a proxy share. */
interface Rules {
  isFrozen: boolean;
  losesMessages: boolean;
  requestMs: number;
  replyMs: number;
  /** For the next script call, and then `null` again. */
  cut: { readonly where: Cut; readonly done: () => void } | null;
  trap: Trap | null;
  /** For the next connection that says it. */
  silencer: string | null;
}

/** How many characters of a connection's first requests are kept. */
const mostSaid = 65_536;

const isScriptCall = (request: Buffer): boolean => request.includes('EVAL') || request.includes('eval');

export async function startProxy(serverUrl: string): Promise<TcpProxy> {
  const [server, connections] = [{ url: new URL(serverUrl) }, new Set<Connection>()];
  const rules: Rules = {
    isFrozen: false,
    losesMessages: false,
    requestMs: 0,
    replyMs: 0,
    cut: null,
    trap: null,
    silencer: null,
  };
  const relay = await TcpRelay.open(
    () => server.url,
    (client, upstream) => {
      const connection = new Connection(rules, client, upstream);
      connections.add(connection);
      client.on('close', () => connections.delete(connection));
    },
  );
  return new TcpProxy(server, relay, rules, connections);
}

/** A proxy in front of a Redis server that cuts, delays, holds back or drops messages, like a network. */
export class TcpProxy implements AsyncDisposable {
  readonly url: string;
  readonly #server: { url: URL };
  readonly #relay: TcpRelay;
  readonly #rules: Rules;
  readonly #connections: ReadonlySet<Connection>;

  constructor(server: { url: URL }, relay: TcpRelay, rules: Rules, connections: ReadonlySet<Connection>) {
    const url = new URL(server.url);
    url.host = `127.0.0.1:${relay.port}`;
    this.url = url.href;
    this.#server = server;
    this.#relay = relay;
    this.#rules = rules;
    this.#connections = connections;
  }

  /** Cuts the connection of the next script call. Resolves when it has. */
  cutNext(where: Cut): Promise<void> {
    return new Promise((done) => (this.#rules.cut = { where, done }));
  }

  /** Holds back the next request that `accepts`, by default the next script call, or its reply. */
  hold(held: Held, accepts: (request: Buffer) => boolean = isScriptCall): HeldCall {
    const [caught, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const trap: Trap = { accepts, held, caught, answered, kept: [], way: null, over: false };
    this.#rules.trap = trap;
    const letGo = () => {
      trap.over = true;
      for (const data of trap.kept) trap.way?.write(data);
      return answered.promise;
    };
    return { caught: caught.promise, letGo };
  }

  /** Delays every later reply by `replyMs`, every later request by `requestMs`. */
  slow(replyMs: number, requestMs = 0): void {
    Object.assign(this.#rules, { replyMs, requestMs });
  }

  /** Stops forwarding in both directions, including the end of a connection. */
  freeze(): void {
    this.#rules.isFrozen = true;
  }

  /** Stops forwarding on the connections that have sent this word. Others and new ones work. */
  silence(word: string): void {
    for (const connection of this.#connections) connection.silence(word);
  }

  /** Does the same for the next connection that sends the word, before the server receives it. */
  silenceNext(word: string): void {
    this.#rules.silencer = word;
  }

  /** Drops messages that the server publishes. Replies are still forwarded. */
  loseMessages(): void {
    this.#rules.losesMessages = true;
  }

  /** Ends all faults. It ends every connection, because bytes may be lost or late on it, and forwards new ones at full speed. */
  thaw(): void {
    this.slow(0);
    this.#rules.isFrozen = false;
    this.#relay.breakAll();
    void this.#relay.listen();
  }

  /** Ends every connection and refuses new ones until `thaw`. */
  down(): void {
    this.#relay.refuse();
  }

  /** Ends every connection; new ones lead to this server. */
  switchTo(url: string): void {
    this.#server.url = new URL(url);
    this.#relay.breakAll();
  }

  close(): Promise<void> {
    return this.#relay.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

class Connection {
  readonly #rules: Rules;
  readonly #client: Socket;
  readonly #upstream: Socket;
  /** The beginning of each of its first requests, in lower case. */
  #said = '';
  #isSilent = false;
  #isCut = false;
  #trap: Trap | null = null;

  constructor(rules: Rules, client: Socket, upstream: Socket) {
    this.#rules = rules;
    this.#client = client;
    this.#upstream = upstream;
    client.on('data', (request) => this.#request(request));
    upstream.on('data', (reply) => this.#reply(reply));
    client.on('close', () => {
      const isHeld = this.#trap?.held === 'request' && !this.#trap.over;
      if (!rules.isFrozen && !isHeld) upstream.destroy();
    });
    upstream.on('close', () => {
      if (!rules.isFrozen) client.destroy();
    });
  }

  silence(word: string): void {
    this.#isSilent ||= this.#said.includes(word);
  }

  #request(request: Buffer): void {
    const rules = this.#rules;
    if (this.#said.length < mostSaid) this.#said += request.toString('latin1', 0, 4_096).toLowerCase();
    if (rules.silencer !== null && this.#said.includes(rules.silencer)) {
      rules.silencer = null;
      this.#isSilent = true;
    }
    if (rules.isFrozen || this.#isSilent) return;
    if (rules.cut !== null && isScriptCall(request)) {
      this.#cut(rules.cut.where, request);
      rules.cut.done();
      rules.cut = null;
      return;
    }
    if (this.#trap === null && rules.trap?.accepts(request)) {
      [this.#trap, rules.trap] = [rules.trap, null];
      this.#trap.way = this.#trap.held === 'request' ? this.#upstream : this.#client;
    }
    if (this.#trap?.held === 'request' && !this.#trap.over) keep(this.#trap, request);
    else pass(this.#upstream, request, rules.requestMs);
  }

  #reply(reply: Buffer): void {
    const { isFrozen, losesMessages, replyMs } = this.#rules;
    if (isFrozen || this.#isSilent || this.#isCut) return;
    if (this.#trap?.over || this.#trap?.held === 'reply') this.#trap.answered.resolve();
    if (this.#trap?.held === 'reply' && !this.#trap.over) keep(this.#trap, reply);
    else if (!losesMessages || !reply.includes('$7\r\nmessage\r\n')) pass(this.#client, reply, replyMs);
  }

  #cut(where: Cut, request: Buffer): void {
    this.#isCut = true;
    switch (where) {
      case 'before the request':
        this.#break();
        return;
      case 'after the request':
        this.#client.destroy();
        this.#upstream.end(request);
        return;
      case 'before the reply':
        this.#upstream.once('data', () => this.#break());
        this.#upstream.write(request);
    }
  }

  #break(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }
}

function keep(trap: Trap, bytes: Buffer): void {
  trap.kept.push(bytes);
  trap.caught.resolve();
}

function pass(to: Socket, bytes: Buffer, delayMs: number): void {
  if (delayMs === 0) to.write(bytes);
  else setTimeout(() => to.writable && to.write(bytes), delayMs);
}
