import type { Gate } from 'mempool-server/edge';
import type { RawData, WebSocket } from 'ws';
import type { JsonRpc } from './json-rpc.ts';
import type { Session } from './methods.ts';
import { type Feeds, Subscriptions } from './subscriptions.ts';

/** The parts of the server that a client needs. */
export interface ClientParts {
  readonly rpc: JsonRpc;
  readonly gate: Gate;
  readonly feeds: Feeds;
  readonly session: Session;
}

/** The most bytes of notifications that wait for one client. A client that is further behind is cut off. */
const maxUnsentBytes = 256 * 1024;
/** No more messages are read while so many are under way, or so many bytes of answers wait. */
const maxAtOnce = 16;
const maxAnswerBytes = 1024 * 1024;
/** A client that neither subscribes nor asks is let go after so long. */
const idleMs = 10 * 60_000;

/** RFC 6455: the server goes away. */
const goingAway = 1001;

/** One WebSocket. It answers messages and sends the notifications of its subscriptions. */
export class WebSocketClient {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  readonly #socket: WebSocket;
  readonly #rpc: JsonRpc;
  readonly #gate: Gate;
  readonly #session: Session;
  readonly #subscriptions: Subscriptions;
  #atOnce = 0;
  #answerBytes = 0;
  #unsentBytes = 0;
  #isAlive = true;
  #isLeaving = false;
  #askedAt = performance.now();

  constructor(socket: WebSocket, { rpc, gate, feeds, session }: ClientParts) {
    this.#socket = socket;
    this.#rpc = rpc;
    this.#gate = gate;
    this.#subscriptions = new Subscriptions(feeds, (text) => this.#notify(text));
    this.#session = { ...session, subscriptions: this.#subscriptions };
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#subscriptions.end();
        resolve();
      });
    });
    // A broken frame or a lost connection: `close` follows.
    socket.on('error', () => undefined);
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('message', (data) => {
      // Such as an answer that is longer than a string may be: it ends this connection, not the process.
      this.#take(data).catch((error: unknown) => {
        gate.fault(error);
        this.cut();
      });
    });
  }

  /** Ends a connection that is dead or idle, and pings the client. It is called at intervals. */
  beat(): void {
    const isIdle = this.#subscriptions.count === 0 && performance.now() - this.#askedAt > idleMs;
    if (!this.#isAlive) this.cut();
    else if (isIdle) this.#socket.close(1000, 'idle');
    else this.#socket.ping();
    this.#isAlive = false;
  }

  /** Answers the calls under way, then closes. Called when the server stops. */
  leave(): void {
    this.#isLeaving = true;
    this.#socket.pause();
    this.#closeIfDone();
  }

  cut(): void {
    this.#socket.terminate();
  }

  async #take(data: RawData): Promise<void> {
    this.#isAlive = true;
    this.#askedAt = performance.now();
    this.#atOnce += 1;
    this.#flow();
    const text = await this.#answer(String(data));
    this.#atOnce -= 1;
    if (text === null) this.#flow();
    else this.#send(text);
  }

  async #answer(text: string): Promise<string | null> {
    try {
      this.#gate.enter();
    } catch (error) {
      return (await this.#rpc.answer(text, refusing(this.#session, error))).text;
    }
    try {
      return (await this.#rpc.answer(text, this.#counted())).text;
    } finally {
      this.#gate.leave();
    }
  }

  /** Counts a message against the rate, also one that turns out to be no call. */
  #counted(): Session {
    try {
      this.#session.count();
      return this.#session;
    } catch (error) {
      return refusing(this.#session, error);
    }
  }

  #send(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#answerBytes += bytes;
    this.#socket.send(text, () => {
      this.#answerBytes -= bytes;
      this.#flow();
    });
  }

  #notify(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#unsentBytes += bytes;
    const sent = (): void => {
      this.#unsentBytes -= bytes;
    };
    if (this.#unsentBytes > maxUnsentBytes) this.cut();
    else this.#socket.send(text, sent);
  }

  /** Reads on, or not. */
  #flow(): void {
    if (this.#isLeaving) {
      this.#closeIfDone();
      return;
    }
    const isBusy = this.#atOnce >= maxAtOnce || this.#answerBytes > maxAnswerBytes;
    if (isBusy && !this.#socket.isPaused) this.#socket.pause();
    if (!isBusy && this.#socket.isPaused) this.#socket.resume();
  }

  #closeIfDone(): void {
    if (this.#atOnce > 0 || this.#answerBytes > 0) return;
    this.#socket.resume();
    this.#socket.close(goingAway, 'the server stops');
  }
}

/** A session whose calls are all answered with this error. */
function refusing(session: Session, error: unknown): Session {
  const refuse = (): never => {
    throw error;
  };
  return { ...session, admit: refuse, count: refuse };
}
