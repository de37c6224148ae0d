import type { RawData, WebSocket } from 'ws';
import type { Gate } from './gate.ts';

/** One client's end of a WebSocket, as a protocol sees it. */
export interface Line {
  /** Sends a notification. A client that reads too slowly is cut off. */
  notify(text: string): void;
  /** Answers the calls under way, then closes the connection: the client may connect again. The reason has at most 123 bytes. */
  leave(reason: string): void;
}

/** A protocol on one WebSocket. */
export interface Conversation {
  /**
   * Answers a message; `null` if it needs no answer. The message has been counted against the rate limit.
   * @param refusal the error that every call of the message is answered with; `null` if they are to run
   */
  answer(text: string, refusal: unknown): Promise<string | null>;
  /** The number of subscriptions. A client without any that asks nothing is let go. */
  readonly subscriptionCount: number;
  /** The connection has ended. */
  end(): void;
}

/** The parts of the server that a client needs. */
export interface ClientParts {
  readonly gate: Gate;
  /** Counts a message against the rate. @throws `Problem` 429 */
  readonly count: () => void;
  readonly open: (line: Line) => Conversation;
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
export class WebSocketClient implements Line {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  readonly #socket: WebSocket;
  readonly #gate: Gate;
  readonly #count: () => void;
  readonly #conversation: Conversation;
  /** The bytes of the message that is arriving. */
  #arrivedBytes = 0;
  #atOnce = 0;
  #answerBytes = 0;
  #unsentBytes = 0;
  #isAlive = true;
  /** Why the connection is about to be closed; `null`: it is not. */
  #leaving: string | null = null;
  #askedAt = performance.now();

  constructor(socket: WebSocket, { gate, count, open }: ClientParts) {
    this.#socket = socket;
    this.#gate = gate;
    this.#count = count;
    this.#conversation = open(this);
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#conversation.end();
        this.#release(this.#arrivedBytes);
        resolve();
      });
    });
    // A broken frame or a lost connection: `close` follows.
    socket.on('error', () => undefined);
    socket.on('ping', (data) => this.#release(data.length));
    socket.on('pong', (data) => {
      this.#isAlive = true;
      this.#release(data.length);
    });
    socket.on('message', (data) => {
      this.#release(this.#arrivedBytes);
      // Such as an answer that is longer than a string may be: it ends this connection, not the process.
      this.#take(data).catch((error: unknown) => {
        gate.fault(error);
        this.cut();
      });
    });
  }

  /** Ends a connection that is dead or idle, and pings the client. It is called at intervals. */
  beat(): void {
    const isIdle = this.#conversation.subscriptionCount === 0 && performance.now() - this.#askedAt > idleMs;
    if (!this.#isAlive) this.cut();
    else if (isIdle) this.#socket.close(1000, 'idle');
    else this.#socket.ping();
    this.#isAlive = false;
  }

  /** Counts bytes that arrived. They are held until their message ends. If all messages hold too much, it ends this connection. */
  hold(bytes: number): void {
    try {
      this.#gate.held.add(bytes);
      this.#arrivedBytes += bytes;
    } catch {
      this.cut();
    }
  }

  #release(bytes: number): void {
    const released = Math.min(bytes, this.#arrivedBytes);
    this.#arrivedBytes -= released;
    this.#gate.held.remove(released);
  }

  leave(reason: string): void {
    this.#leaving ??= reason;
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
      return this.#conversation.answer(text, error);
    }
    try {
      return await this.#conversation.answer(text, this.#counted());
    } finally {
      this.#gate.leave();
    }
  }

  /** Counts a message against the rate, also one that turns out to be no call. Returns the refusal; `null` for none. */
  #counted(): unknown {
    try {
      this.#count();
      return null;
    } catch (error) {
      return error;
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

  notify(text: string): void {
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
    if (this.#leaving !== null) {
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
    this.#socket.close(goingAway, this.#leaving ?? '');
  }
}
