import type { Http2ServerRequest } from 'node:http2';
import { type HeldBytes, Problem } from 'mempool-server/edge';
import { rpcError } from './rpc-call.ts';
import type { RpcRequest } from './rpc-port.ts';

/** What frames may add to a message. */
const frameBytes = 1_024;
/** A body that takes longer to arrive is cut off. */
const arrivalMs = 60_000;

/** The body of one request. Its bytes count towards the memory limit until `release`. */
export interface HeldRpcBody {
  /** Yields the bytes as they arrive. @throws `ConnectError` if they are too many, or all bodies together use too much memory */
  bytes(): AsyncGenerator<Uint8Array, void>;
  /** Ends the count of its bytes. Call it when the request is answered. */
  release(): void;
}

/** Reads the bodies of requests, and limits the memory that they use together. */
export class RpcBodies {
  readonly #maxBytes: number;
  readonly #held: HeldBytes;

  constructor(maxBytes: number, held: HeldBytes) {
    this.#maxBytes = maxBytes + frameBytes;
    this.#held = held;
  }

  hold(request: RpcRequest): HeldRpcBody {
    const [maxBytes, all] = [this.#maxBytes, this.#held];
    let own = 0;
    // HTTP/1.1 requests have a time limit by Node.
    const timer = isHttp2(request) ? setTimeout(() => request.stream.close(), arrivalMs) : undefined;
    return {
      async *bytes() {
        for await (const chunk of request as AsyncIterable<Uint8Array>) {
          hold(all, chunk.length);
          own += chunk.length;
          if (own > maxBytes) throw rpcError(tooLarge(maxBytes - frameBytes));
          yield chunk;
        }
        clearTimeout(timer);
      },
      release() {
        clearTimeout(timer);
        all.remove(own);
        own = 0;
      },
    };
  }
}

/** @throws `ConnectError` if unfinished messages use too much memory */
function hold(all: HeldBytes, bytes: number): void {
  try {
    all.add(bytes);
  } catch (error) {
    throw rpcError(error as Problem);
  }
}

function isHttp2(request: RpcRequest): request is Http2ServerRequest {
  return request.httpVersionMajor === 2;
}

function tooLarge(maxBytes: number): Problem {
  const detail = `The body is larger than ${maxBytes} bytes.`;
  return new Problem(413, 'ERR_SERVER_BODY_TOO_LARGE', { detail });
}
