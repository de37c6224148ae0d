import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { authorize, type Gate, type Problem, stopping } from 'mempool-server/edge';
import { WebSocketServer } from 'ws';
import { sessionOf } from './http-calls.ts';
import { type JsonRpc, problemText } from './json-rpc.ts';
import type { Feeds } from './subscriptions.ts';
import { authorizationOf } from './token-path.ts';
import { WebSocketClient } from './web-socket-client.ts';

/** The parts that the WebSockets need. */
export interface WebSocketParts {
  readonly rpc: JsonRpc;
  readonly gate: Gate;
  readonly feeds: Feeds;
  /** The server whose connections are upgraded. */
  readonly http: Server;
  /** The largest message of a client. */
  readonly maxMessageBytes: number;
}

const beatMs = 30_000;

/** The WebSockets of a port. Each, with all its subscriptions, counts as one of the server's event streams. */
export class WebSockets {
  readonly #parts: WebSocketParts;
  readonly #server: WebSocketServer;
  readonly #clients = new Set<WebSocketClient>();
  readonly #beat: NodeJS.Timeout;

  constructor(parts: WebSocketParts) {
    this.#parts = parts;
    const { http, maxMessageBytes, gate } = parts;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, clientTracking: false });
    http.on('upgrade', (incoming, socket, head) => this.#upgrade(incoming, socket, head));
    this.#beat = setInterval(() => {
      for (const client of this.#clients) client.beat();
    }, beatMs).unref();
    gate.stopping.addEventListener('abort', () => {
      for (const client of this.#clients) client.leave();
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
    const { gate } = this.#parts;
    const ignored = (): void => undefined;
    socket.on('error', ignored);
    let release: (() => void) | null = null;
    try {
      if (gate.stopping.aborted) throw stopping();
      gate.check(null, { incoming });
      const authorization = authorizationOf(incoming.headers.authorization, incoming.url ?? '');
      const caller = gate.identify(null, { incoming }, authorization);
      authorize(caller, ['read', 'submit']);
      release = gate.streams.take();
      const session = sessionOf(gate, caller, { incoming });
      this.#server.handleUpgrade(incoming, socket, head, (webSocket) => {
        socket.off('error', ignored);
        const { rpc, feeds } = this.#parts;
        const client = new WebSocketClient(webSocket, { rpc, gate, feeds, session });
        this.#clients.add(client);
        void client.ended.then(() => this.#clients.delete(client));
      });
      // Also when the handshake failed.
      socket.once('close', release);
    } catch (error) {
      release?.();
      refuse(socket, gate.fault(error));
    }
  }
}

/** A refused client that has not taken its answer by then is cut off. */
const refusedMs = 1_000;

/** Answers an upgrade that is refused, and ends the connection: a client that keeps its end open would hold up a stop. */
function refuse(socket: Duplex, problem: Problem): void {
  const body = problemText(problem);
  const fields = { ...problem.headers, connection: 'close', 'content-type': 'application/json' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}`;
  const timer = setTimeout(() => socket.destroy(), refusedMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('finish', () => socket.destroy());
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
