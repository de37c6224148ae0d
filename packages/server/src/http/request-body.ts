import type { Caller } from './access.ts';
import { networkOf } from './client-network.ts';
import { HeldBytes } from './held-bytes.ts';
import { addressOf, type HostEnvironment, headerOf } from './host-environment.ts';
import { busy, Problem, tooManyRequests } from './problem.ts';
import { RateLimiter } from './rate-limiter.ts';

/** The body of a request. */
export interface HeldBody {
  readonly bytes: Uint8Array;
  /** Call it when the request is answered. */
  readonly release: () => void;
}

const nothingHeld = (): void => undefined;

/** Smaller bodies are not counted: the number of requests in flight limits them. */
const smallBytes = 64 * 1024;
/** The limits of bodies from senders without a valid token, for all of them together. */
const strangers = { maxBytes: smallBytes, perSecond: 100, arrivalMs: 5_000 };
/** The most bodies of strangers, and of one address on a server without tokens, that are arriving at once. */
const maxArriving = 64;

/**
 * Reads the bodies of requests on all ports of a server, within the limits of their senders. A sender without a token cannot take
 * the room of senders with one.
 */
export class RequestBodies {
  readonly #maxBytes: number;
  readonly #held: HeldBytes;
  /** How many bodies are arriving, by the network of the sender. All strangers are one. */
  readonly #arriving = new Map<string, number>();
  readonly #strangers = new RateLimiter(strangers.perSecond);

  /** @param maxBytes the largest body of a known caller */
  constructor(maxBytes: number, held: HeldBytes = new HeldBytes(maxBytes)) {
    this.#maxBytes = maxBytes;
    this.#held = held;
  }

  /**
   * Reads the body of a request.
   *
   * @param caller the sender, whose request was counted against the rate; `null` without a valid token
   * @param maxBytes the most bytes that the route allows
   * @throws `Problem` 413 as soon as the body is known to be too large, 503 if unfinished bodies take too much memory or are too many,
   *   429 if strangers send too many, 408 if the body of a stranger takes too long, 400 if a body breaks off
   */
  async read(
    request: Request,
    environment: HostEnvironment,
    caller: Caller | null,
    maxBytes: number = this.#maxBytes,
  ): Promise<HeldBody> {
    const limit = caller === null ? Math.min(maxBytes, strangers.maxBytes) : maxBytes;
    const declared = headerOf(request, environment, 'content-length');
    if (declared !== undefined && Number(declared) > limit) throw tooLarge(limit);
    if (caller === null) this.#countStranger();
    const leave = this.#arrive(caller, environment);
    try {
      const reading = this.#bytesOf(request, environment, { declared, limit });
      return await (caller === null ? inTime(reading) : reading);
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw new Problem(400, 'ERR_SERVER_BODY', { detail: 'The body could not be read to its end.' });
    } finally {
      leave();
    }
  }

  #countStranger(): void {
    const seconds = this.#strangers.take('');
    if (seconds > 0) throw tooManyRequests(seconds);
  }

  /** Counts a body that is arriving. A caller with a token has no such limit. @throws `Problem` 503 */
  #arrive(caller: Caller | null, environment: HostEnvironment): () => void {
    if (caller !== null && (caller.name !== null || hasArrived(environment))) return nothingHeld;
    const key = caller === null ? 'strangers' : networkOf(addressOf(environment));
    const count = (by: number): void => {
      const now = (this.#arriving.get(key) ?? 0) + by;
      if (now === 0) this.#arriving.delete(key);
      else this.#arriving.set(key, now);
    };
    if ((this.#arriving.get(key) ?? 0) >= maxArriving) throw unread(busy('Too many bodies are arriving.'));
    count(1);
    return () => count(-1);
  }

  async #bytesOf(
    request: Request,
    environment: HostEnvironment,
    { declared, limit }: { readonly declared: string | undefined; readonly limit: number },
  ): Promise<HeldBody> {
    const isSmall = environment.incoming !== undefined && Number(declared ?? smallBytes + 1) <= smallBytes;
    if (isSmall) return { bytes: new Uint8Array(await request.arrayBuffer()), release: nothingHeld };
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const release = (): void => this.#held.remove(bytes);
    try {
      for await (const chunk of request.body ?? []) {
        this.#held.add(chunk.length);
        bytes += chunk.length;
        if (bytes > limit) throw tooLarge(limit);
        chunks.push(chunk);
      }
    } catch (error) {
      release();
      throw error;
    }
    return { bytes: Buffer.concat(chunks), release };
  }
}

/** True if the whole body came with the head. */
function hasArrived({ incoming }: HostEnvironment): boolean {
  return incoming?.complete ?? false;
}

/** @throws `Problem` 408 if the body of a stranger takes too long */
async function inTime(reading: Promise<HeldBody>): Promise<HeldBody> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const detail = `A body without a valid token must arrive within ${strangers.arrivalMs / 1_000} seconds.`;
  const timer = setTimeout(() => reject(unread(new Problem(408, 'ERR_SERVER_BODY', { detail }))), strangers.arrivalMs);
  try {
    return await Promise.race([reading, late]);
  } catch (error) {
    // The rest of a body that arrives too late is not counted.
    reading.then(({ release }) => release(), nothingHeld);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Closes the connection after the answer: the rest of its body is not read. */
function unread({ status, code, message: detail, headers, members }: Problem): Problem {
  return new Problem(status, code, { detail, headers: { ...headers, connection: 'close' }, members });
}

function tooLarge(maxBytes: number): Problem {
  const detail = `The body is larger than ${maxBytes} bytes.`;
  return new Problem(413, 'ERR_SERVER_BODY_TOO_LARGE', { detail, members: { maxBodyBytes: maxBytes } });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws `Problem` 400 if the bytes are not JSON */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Problem(400, 'ERR_SERVER_JSON', { detail: 'The body is not JSON in UTF-8.' });
  }
}
