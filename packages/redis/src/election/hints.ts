import type { Redis } from 'ioredis';
import { type ElectionClock, type Hint, isElectionError } from 'mempool-election';
import { closeClient } from '../connection/client.ts';
import type { Link } from '../connection/link.ts';
import { isReply, withoutArguments } from '../connection/refusal.ts';
import { isRedirected, isRouted } from '../connection/slot-client.ts';
import { destroyOnError, dropConnection } from '../connection/socket.ts';
import { electionError } from './refusal.ts';

const pauseMs = 100;
/** A busy server may answer on one connection and a moment later on the other. */
const patienceMs = 250;

export interface HintsParts {
  /** The connection for commands. */
  readonly link: Link;
  readonly messages: Redis;
  readonly channel: string;
  readonly clock: ElectionClock;
}

/** Hints from the server: messages of other nodes, and a restored connection. */
export class Hints {
  readonly #listeners = new Set<(hint: Hint) => void>();
  readonly #parts: HintsParts;
  /** How often the listening connection was established. */
  #connections = 0;
  /** When the pending subscribe was sent; `null` if there is none. */
  #askedMs: number | null = null;

  constructor(parts: HintsParts) {
    this.#parts = parts;
    const { link, messages } = parts;
    link.onReady(() => this.#tell('reconnected'));
    messages.on('error', () => undefined);
    destroyOnError(messages);
    messages.on('ready', () => {
      this.#connections += 1;
      this.#askedMs = null;
      void this.#listen(this.#connections);
    });
    for (const kind of ['message', 'smessage']) messages.on(kind, (_, words: string) => this.#hear(words));
    // The slot of the channel moved, and the server has ended the subscription. The next connection goes to its master.
    messages.on('moved', () => dropConnection(messages));
    messages.connect().catch(() => undefined);
  }

  /** Resolves when the server has confirmed the subscription. A new connection subscribes by itself. */
  async subscribe(): Promise<void> {
    const { messages, clock } = this.#parts;
    const connection = this.#connections;
    this.#askedMs ??= clock.monotonicMs();
    try {
      await this.#subscribe();
      if (connection === this.#connections) this.#askedMs = null;
    } catch (error) {
      const cause = withoutArguments(error);
      if (isReply(cause)) this.#askedMs = null;
      const isMoving = isRedirected(messages, cause);
      throw electionError(isMoving ? new Error((cause as Error).message) : cause, 'subscribe');
    }
  }

  /**
   * Checks the listening connection, after the server has answered a command on the other one. If the listening connection is silent, it
   * is replaced. Otherwise it subscribes again as a probe, which needs no further permission.
   */
  check(): void {
    const { messages, clock } = this.#parts;
    if (messages.status !== 'ready') return;
    if (this.#askedMs === null) void this.subscribe().catch(() => undefined);
    else if (clock.monotonicMs() - this.#askedMs >= patienceMs) dropConnection(messages);
  }

  on(listener: (hint: Hint) => void): () => void {
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): void {
    this.#listeners.clear();
    closeClient(this.#parts.messages);
  }

  /** In a cluster to the messages of the slot. A cluster before Redis 7 has none, and sends every message to all nodes. */
  async #subscribe(): Promise<void> {
    const { messages, channel } = this.#parts;
    if (!isRouted(messages)) return void (await messages.subscribe(channel));
    try {
      await messages.ssubscribe(channel);
    } catch (error) {
      if (!isReply(error) || !/^ERR unknown command/i.test(error.message)) throw error;
      await messages.subscribe(channel);
    }
  }

  #hear(words: string): void {
    const [word] = words.split(' ', 1);
    if (word === 'acquired' || word === 'released') this.#tell(word);
  }

  /** Subscribes until the server confirms or refuses. Earlier messages are lost, so it then gives a hint to look. */
  async #listen(connection: number): Promise<void> {
    while (this.#parts.messages.status === 'ready' && this.#connections === connection) {
      const answer = await this.subscribe().then(() => 'listening' as const, refusalOrNone);
      if (answer === 'listening') this.#tell('reconnected');
      if (answer !== null) return;
      await new Promise<void>((resolve) => this.#parts.clock.schedule(resolve, pauseMs));
    }
  }

  #tell(hint: Hint): void {
    for (const listener of this.#listeners) listener(hint);
  }
}

/** `null` if the server did not answer. */
function refusalOrNone(error: unknown): 'refused' | null {
  return isElectionError(error, 'ERR_ELECTION_UNAVAILABLE') ? null : 'refused';
}
