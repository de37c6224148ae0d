import { createHash, randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Caller } from './access.ts';

/** How long a login lasts: a screen on a wall asks for its token once a week. */
export const sessionMs: number = 7 * 24 * 3_600_000;
/** Of one token. One more ends the oldest, so a token that logs in again and again takes no memory, and ends no other's. */
const maxPerToken = 100;

/** What stands for a logged-in browser, and ends at the latest after `sessionMs`. */
interface Session {
  readonly caller: Caller;
  readonly ended: AbortController;
  readonly timer: NodeJS.Timeout;
}

/**
 * The browsers that traded a token for a cookie. A session is a random number, kept in memory by its hash: only so does a
 * logout end it for good, and a copy of the configuration makes none. It ends with the process; a new login takes a moment.
 */
export class Sessions {
  /** By the hash of the number, oldest first. */
  readonly #sessions = new Map<string, Session>();

  /** Begins a session with the scopes of this caller and returns its number, 43 letters of base64url. */
  begin({ name, scopes, owners }: Caller): string {
    const own = [...this.#sessions].filter(([, { caller }]) => caller.name === name);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= maxPerToken) this.#end(oldest[0]);
    const id = randomBytes(32).toString('base64url');
    const key = hashed(id);
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const timer = setTimeout(() => this.#end(key), sessionMs).unref();
    this.#sessions.set(key, { caller: { name, scopes, owners, ended: ended.signal }, ended, timer });
    return id;
  }

  /** The caller of a session; `null` if there is none, or it has ended. */
  find(id: string): Caller | null {
    return this.#sessions.get(hashed(id))?.caller ?? null;
  }

  /** Ends a session, and what is open for it. */
  end(id: string): void {
    this.#end(hashed(id));
  }

  #end(key: string): void {
    const session = this.#sessions.get(key);
    if (session === undefined) return;
    this.#sessions.delete(key);
    clearTimeout(session.timer);
    session.ended.abort();
  }
}

/** By the hash, so that the time of a look-up tells nothing about a number. */
function hashed(id: string): string {
  return createHash('sha256').update(id).digest('base64');
}
