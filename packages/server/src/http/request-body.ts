import { type HostEnvironment, headerOf } from './host-environment.ts';
import { busy, Problem } from './problem.ts';

/** The body of a request. */
export interface HeldBody {
  readonly bytes: Uint8Array;
  /** Call it when the request is answered. */
  readonly release: () => void;
}

const nothingHeld = (): void => undefined;

/** So many bodies of the largest size may be in memory at once. */
const maxHeldBodies = 32;
/** Smaller bodies are not counted: the number of requests in flight bounds them. */
const smallBytes = 64 * 1024;

/** Reads the bodies of requests, and bounds the memory that they take together. */
export class RequestBodies {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @throws `Problem` 413 as soon as the body is known to be too large, 503 if large bodies take too much memory, 400 if it
   * breaks off
   */
  async read(request: Request, environment: HostEnvironment): Promise<HeldBody> {
    const declared = headerOf(request, environment, 'content-length');
    if (declared !== undefined && Number(declared) > this.#maxBytes) throw tooLarge(this.#maxBytes);
    const isSmall = environment.incoming !== undefined && Number(declared ?? smallBytes + 1) <= smallBytes;
    try {
      if (!isSmall) return await this.#readChunks(request);
      return { bytes: new Uint8Array(await request.arrayBuffer()), release: nothingHeld };
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw new Problem(400, 'ERR_SERVER_BODY', { detail: 'The body could not be read to its end.' });
    }
  }

  async #readChunks(request: Request): Promise<HeldBody> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const release = (): void => {
      this.#heldBytes -= bytes;
    };
    try {
      for await (const chunk of request.body ?? []) {
        bytes += chunk.length;
        this.#heldBytes += chunk.length;
        if (bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
        if (this.#heldBytes > maxHeldBodies * this.#maxBytes) throw busy('Large bodies take too much memory now.');
        chunks.push(chunk);
      }
    } catch (error) {
      release();
      throw error;
    }
    return { bytes: Buffer.concat(chunks), release };
  }
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
