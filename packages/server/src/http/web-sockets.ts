import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { authorize, type Caller } from './access.ts';
import type { Gate } from './gate.ts';
import type { Problem } from './problem.ts';
import { stopping } from './waits.ts';
import { type Conversation, type Line, WebSocketClient } from './web-socket-client.ts';

/** A protocol of WebSockets, whose messages are JSON. Its tokens have the scope `read` or `submit`. */
export interface WebSocketProtocol {
  /** Returns the `Authorization` of an upgrade. @throws `Problem` 404 for a path without WebSockets */
  authorization(incoming: IncomingMessage): string | undefined;
  /** Begins a conversation. `incoming` is the request of the upgrade. */
  open(caller: Caller | null, incoming: IncomingMessage, line: Line): Conversation;
  /** Returns the body, as JSON, of the answer to an upgrade that is refused. */
  refused(problem: Problem): string;
}

/** The port of the WebSockets. */
export interface WebSocketPort {
  readonly gate: Gate;
  /** The server whose connections are upgraded. */
  readonly http: Server;
  /** The largest message of a client. */
  readonly maxMessageBytes: number;
}

const beatMs = 30_000;

/** The WebSockets of a port. Each, with all its subscriptions, counts as one of the server's event streams. */
export class WebSockets {
  readonly #protocol: WebSocketProtocol;
  readonly #gate: Gate;
  readonly #server: WebSocketServer;
  readonly #clients = new Set<WebSocketClient>();
  readonly #beat: NodeJS.Timeout;

  constructor(protocol: WebSocketProtocol, { gate, http, maxMessageBytes }: WebSocketPort) {
    this.#protocol = protocol;
    this.#gate = gate;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, clientTracking: false });
    http.on('upgrade', (incoming, socket, head) => this.#upgrade(incoming, socket, head));
    this.#beat = setInterval(() => {
      for (const client of this.#clients) client.beat();
    }, beatMs).unref();
    gate.stopping.addEventListener('abort', () => {
      for (const client of this.#clients) client.leave('the server stops');
    });
  }

  /** Ends all connections with the code 1001, when their calls are answered or after `drainMs`. */
  async stop(drained: Promise<void>, drainMs: number): Promise<void> {
    clearInterval(this.#beat);
    const ended = Promise.all(Array.from(this.#clients, (client) => client.ended));
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, drainMs);
    await Promise.race([Promise.all([drained, ended]), late]);
    clearTimeout(timer);
    for (const client of this.#clients) client.cut();
    await ended;
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const gate = this.#gate;
    const ignored = (): void => undefined;
    socket.on('error', ignored);
    let release: (() => void) | null = null;
    try {
      if (gate.stopping.aborted) throw stopping();
      gate.check(null, { incoming });
      const caller = gate.identify(null, { incoming }, this.#protocol.authorization(incoming));
      authorize(caller, ['read', 'submit']);
      release = gate.streams.take();
      this.#server.handleUpgrade(incoming, socket, head, (webSocket) => {
        socket.off('error', ignored);
        const count = (): void => void gate.admit(caller, { incoming });
        const open = (line: Line): Conversation => this.#protocol.open(caller, incoming, line);
        const client = new WebSocketClient(webSocket, { gate, count, open });
        socket.on('data', ({ length }: Buffer) => client.hold(length));
        this.#clients.add(client);
        void client.ended.then(() => this.#clients.delete(client));
      });
      // Also when the handshake failed.
      socket.once('close', release);
    } catch (error) {
      release?.();
      const problem = gate.fault(error);
      refuse(socket, problem, this.#protocol.refused(problem));
    }
  }
}

/** A refused client that has not taken its answer by then is cut off. */
const refusedMs = 1_000;

/** Answers an upgrade that is refused, and ends the connection: a client that keeps its end open would hold up a stop. */
function refuse(socket: Duplex, problem: Problem, body: string): void {
  const fields = { ...problem.headers, connection: 'close', 'content-type': 'application/json' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}`;
  const timer = setTimeout(() => socket.destroy(), refusedMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('finish', () => socket.destroy());
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
