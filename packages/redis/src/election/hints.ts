import type { Redis } from 'ioredis';
import { type ElectionClock, type Hint, isElectionError } from 'mempool-election';
import { isReply, withoutArguments } from '../connection/refusal.ts';
import { destroyOnError, dropConnection } from '../connection/socket.ts';
import { electionError } from './refusal.ts';

const pauseMs = 100;
/** A server that is busy for a moment may answer on one connection and not yet on the other. */
const patienceMs = 250;

export interface HintsParts {
  readonly commands: Redis;
  readonly messages: Redis;
  readonly channel: string;
  readonly clock: ElectionClock;
}

/** What makes a look worth while: messages of others, and a connection that is back. */
export class Hints {
  readonly #listeners = new Set<(hint: Hint) => void>();
  readonly #parts: HintsParts;
  /** How often the connection that listens was made. */
  #connections = 0;
  /** When the server was asked to tell messages, as long as it does not answer. */
  #askedMs: number | null = null;
  readonly #onReady = (): void => this.#tell('reconnected');

  constructor(parts: HintsParts) {
    this.#parts = parts;
    const { commands, messages } = parts;
    commands.on('ready', this.#onReady);
    messages.on('error', () => undefined);
    destroyOnError(messages);
    messages.on('ready', () => {
      this.#connections += 1;
      this.#askedMs = null;
      void this.#listen(this.#connections);
    });
    messages.on('message', (_, words: string) => {
      const [word] = words.split(' ', 1);
      if (word === 'acquired' || word === 'released') this.#tell(word);
    });
    messages.connect().catch(() => undefined);
  }

  /** Resolves when messages are listened for; a connection that is made anew does it by itself. */
  async subscribe(): Promise<void> {
    const { messages, channel, clock } = this.#parts;
    const connection = this.#connections;
    this.#askedMs ??= clock.monotonicMs();
    try {
      await messages.subscribe(channel);
      if (connection === this.#connections) this.#askedMs = null;
    } catch (error) {
      const cause = withoutArguments(error);
      if (isReply(cause)) this.#askedMs = null;
      throw electionError(cause, 'subscribe');
    }
  }

  /**
   * The server has answered a command: it is there. Where the connection that listens is silent all the same, it is made anew; else it is
   * asked again, by a command that needs no further right.
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
    this.#parts.commands.off('ready', this.#onReady);
    this.#parts.messages.disconnect();
  }

  /** Until the server says that it does, or that it will not: what is told before is not heard, and has to be looked for. */
  async #listen(connection: number): Promise<void> {
    while (this.#parts.messages.status === 'ready' && this.#connections === connection) {
      const answer = await this.subscribe().then(() => 'listening' as const, refusalOrNone);
      if (answer === 'listening') this.#onReady();
      if (answer !== null) return;
      await new Promise<void>((resolve) => this.#parts.clock.schedule(resolve, pauseMs));
    }
  }

  #tell(hint: Hint): void {
    for (const listener of this.#listeners) listener(hint);
  }
}

/** `null` where the server did not answer. */
function refusalOrNone(error: unknown): 'refused' | null {
  return isElectionError(error, 'ERR_ELECTION_UNAVAILABLE') ? null : 'refused';
}
