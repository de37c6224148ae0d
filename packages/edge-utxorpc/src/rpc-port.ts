import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { type Edge, HttpListener, type ServerOptions } from 'mempool-server/edge';

/** A request of either version of HTTP. */
export type RpcRequest = IncomingMessage | Http2ServerRequest;
/** The answer to it. */
export type RpcResponse = ServerResponse | Http2ServerResponse;
/** Answers a request. */
export type RpcHandler = (request: RpcRequest, response: RpcResponse) => void;

/** The first bytes of each HTTP/2 connection. No request of HTTP/1.1 begins like this. */
const preface = Buffer.from('PRI');
/** So long a new connection may say nothing. */
const silentMs = 10_000;
/** A client that does not answer a ping until the next one is gone. */
const pingMs = 30_000;
/** What clients have got after the last answer to close their end. */
const graceMs = 250;
/** A client that resets so many young streams more than it lets end is a flood (CVE-2023-44487). */
const maxResets = 300;
const youngMs = 1_000;
const http2Limits = {
  // In megabytes, of one connection: one client may wait for a thousand transactions on it.
  maxSessionMemory: 64,
  settings: { maxConcurrentStreams: 4_096, maxHeaderListSize: 16 * 1024 },
};

/** A port that speaks HTTP/2 without TLS, as gRPC needs it, and HTTP/1.1, as gRPC-Web and Connect also use. */
export class RpcPort implements Edge {
  readonly url: string;
  readonly #listener: HttpListener;
  readonly #http2 = createServer(http2Limits);
  /** The connections that speak HTTP/2. */
  readonly #sessions = new Map<Socket, ServerHttp2Session>();
  /** Connections that have not said yet what they speak. */
  readonly #silent = new Set<Socket>();

  private constructor(listener: HttpListener, answer: RpcHandler) {
    this.#listener = listener;
    this.url = listener.url;
    this.#http2.on('request', answer);
    // Errors of one client end its session, which is enough.
    this.#http2.on('sessionError', () => undefined);
    const { http } = listener;
    const [asHttp1, ...others] = http.listeners('connection') as ((socket: Socket) => void)[];
    if (asHttp1 === undefined || others.length > 0) throw new Error('Node has changed how it takes connections');
    http.removeAllListeners('connection');
    http.on('connection', (socket) => this.#sort(socket, asHttp1.bind(http)));
  }

  /** @throws the error of `listen`, such as `EADDRINUSE` */
  static async open(answer: RpcHandler, address: Pick<ServerOptions, 'host' | 'port'>): Promise<RpcPort> {
    return new RpcPort(await HttpListener.serve(answer, address), answer);
  }

  async stop(drained: Promise<void>, drainMs: number): Promise<void> {
    // Takes no more streams, and ends when those that are open have ended.
    for (const session of this.#sessions.values()) session.close();
    const cut = (): void => {
      for (const socket of [...this.#silent, ...this.#sessions.keys()]) socket.destroy();
    };
    const timers = [setTimeout(cut, drainMs)];
    // A client that does not read its last bytes does not close its end either.
    void drained.then(() => timers.push(setTimeout(cut, Math.min(graceMs, drainMs))));
    await this.#listener.stop(drained, drainMs);
    for (const timer of timers) clearTimeout(timer);
  }

  #sort(socket: Socket, asHttp1: (socket: Socket) => void): void {
    // A connection whose other end is gone is noticed, also while nothing is sent.
    socket.setKeepAlive(true, pingMs);
    // HTTP/2 relies on it that the end of one side ends both. Node's HTTP/1.1 needs the opposite.
    socket.allowHalfOpen = false;
    this.#silent.add(socket);
    const timer = setTimeout(() => socket.destroy(), silentMs);
    const ignore = (): void => undefined;
    const done = (): void => {
      clearTimeout(timer);
      this.#silent.delete(socket);
      socket.off('readable', look).off('close', done);
    };
    let head = Buffer.alloc(0);
    const look = (): void => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      head = Buffer.concat([head, bytes]);
      const isPreface = preface.subarray(0, head.length).equals(head.subarray(0, preface.length));
      // Too few bytes to tell. Given back now, they would make the socket readable at once, and so on for ever.
      if (isPreface && head.length < preface.length) return;
      done();
      socket.unshift(head);
      socket.off('error', ignore);
      if (isPreface) this.#asHttp2(socket);
      else {
        socket.allowHalfOpen = true;
        asHttp1(socket);
      }
    };
    socket.on('error', ignore).on('close', done).on('readable', look);
  }

  #asHttp2(socket: Socket): void {
    const keep = (session: ServerHttp2Session): void => {
      this.#sessions.set(socket, session);
      pingEach(session, socket);
      limitResets(session);
    };
    socket.once('close', () => this.#sessions.delete(socket));
    this.#http2.once('session', keep).emit('connection', socket);
    this.#http2.off('session', keep);
  }
}

/** Closes a connection whose client does not answer, or does not close its end after the session. */
function pingEach(session: ServerHttp2Session, socket: Socket): void {
  let isAnswered = true;
  const timer = setInterval(() => {
    if (!isAnswered || session.destroyed) {
      socket.destroy();
      return;
    }
    isAnswered = false;
    session.ping((error) => {
      isAnswered = error === null;
    });
  }, pingMs);
  socket.once('close', () => clearInterval(timer));
}

/** Ends a connection that resets streams as soon as it has opened them. A reset of an older stream is a client that waits no longer. */
function limitResets(session: ServerHttp2Session): void {
  let resets = 0;
  session.on('stream', (stream: ServerHttp2Stream) => {
    const openedMs = performance.now();
    stream.once('close', () => {
      const isReset = stream.rstCode !== constants.NGHTTP2_NO_ERROR;
      resets = Math.max(0, isReset && performance.now() - openedMs < youngMs ? resets + 1 : resets - 1);
      if (resets <= maxResets || session.destroyed) return;
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      session.destroy();
    });
  });
}
