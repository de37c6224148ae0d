import type { Redis } from 'ioredis';
import { isReply } from './refusal.ts';
import { SentinelError } from './sentinel.ts';

/** Codes of a network or an address that is wrong. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
]);

/** Keeps the reason why a server does not answer, for the messages of errors. An attempt to connect again does not clear it. */
export class Silence {
  readonly #client: Redis;
  #hasAnswered = false;
  #wasConnected = false;
  #reason: Error | null = null;

  constructor(client: Redis) {
    this.#client = client;
  }

  connected(): void {
    this.#wasConnected = true;
  }

  failed(error: unknown): void {
    // The client's own message only names one of its options.
    if (!(error instanceof Error) || error.name === 'MaxRetriesPerRequestError') return;
    // A server that refuses a connection closes it at once, and the reset may come before its words.
    if (this.#reason !== null && isReply(this.#reason) && isReset(error)) return;
    this.#reason = error;
  }

  answered(): void {
    this.#hasAnswered = true;
    this.#reason = null;
  }

  /** The reason, and a hint if one side may expect TLS and the other not. `otherwise` is for a connection without an error. */
  words(otherwise: string): string {
    const words = this.#reason?.message ?? otherwise;
    return this.#mayMissTls() ? `${words}; ${this.#hint()}` : words;
  }

  #mayMissTls(): boolean {
    if (this.#hasAnswered || (this.#reason !== null && explainsItself(this.#reason))) return false;
    return this.#wasConnected || this.#isSecure;
  }

  get #isSecure(): boolean {
    return this.#client.options.tls !== undefined;
  }

  #hint(): string {
    return this.#isSecure
      ? 'if the server does not use TLS, the URL begins with redis://'
      : 'if the server uses TLS, the URL begins with rediss://';
  }
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

function explainsItself(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof SentinelError || isReply(error) || (code !== undefined && unreachable.has(code));
}
