import type { Redis } from 'ioredis';
import type { Hint } from 'mempool-election';
import { withoutArguments } from '../refusal.ts';
import { electionError } from './refusal.ts';

/** What makes a look worth while: messages of others, and a connection that is back. */
export class Hints {
  readonly #listeners = new Set<(hint: Hint) => void>();
  readonly #clients: { readonly commands: Redis; readonly messages: Redis };
  readonly #channel: string;
  readonly #onReady = (): void => this.#tell('reconnected');

  constructor(clients: { readonly commands: Redis; readonly messages: Redis }, channel: string) {
    this.#clients = clients;
    this.#channel = channel;
    const { commands, messages } = clients;
    commands.on('ready', this.#onReady);
    messages.on('error', () => undefined);
    messages.on('ready', () => this.subscribe().then(this.#onReady, () => undefined));
    messages.on('message', (_, words: string) => {
      const [word] = words.split(' ', 1);
      if (word === 'acquired' || word === 'released') this.#tell(word);
    });
    messages.connect().catch(() => undefined);
  }

  /** Resolves when messages are listened for; a connection that is made anew does it by itself. */
  async subscribe(): Promise<void> {
    try {
      await this.#clients.messages.subscribe(this.#channel);
    } catch (error) {
      throw electionError(withoutArguments(error), 'subscribe');
    }
  }

  on(listener: (hint: Hint) => void): () => void {
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): void {
    this.#listeners.clear();
    this.#clients.commands.off('ready', this.#onReady);
    this.#clients.messages.disconnect();
  }

  #tell(hint: Hint): void {
    for (const listener of this.#listeners) listener(hint);
  }
}
