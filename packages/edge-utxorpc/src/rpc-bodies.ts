import type { Http2ServerRequest } from 'node:http2';
import { busy, Problem } from 'mempool-server/edge';
import { rpcError } from './rpc-call.ts';
import type { RpcRequest } from './rpc-port.ts';

/** So many bodies of the largest size may be in memory at once. */
const maxHeldBodies = 32;
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
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes + frameBytes;
  }

  hold(request: RpcRequest): HeldRpcBody {
    const maxBytes = this.#maxBytes;
    const count = (bytes: number): number => {
      this.#heldBytes += bytes;
      return this.#heldBytes;
    };
    let own = 0;
    // HTTP/1.1 requests have a time limit by Node.
    const timer = isHttp2(request) ? setTimeout(() => request.stream.close(), arrivalMs) : undefined;
    return {
      async *bytes() {
        for await (const chunk of request as AsyncIterable<Uint8Array>) {
          own += chunk.length;
          const held = count(chunk.length);
          if (own > maxBytes) throw rpcError(tooLarge(maxBytes - frameBytes));
          if (held > maxHeldBodies * maxBytes) throw rpcError(busy('Large bodies take too much memory now.'));
          yield chunk;
        }
        clearTimeout(timer);
      },
      release() {
        clearTimeout(timer);
        count(-own);
        own = 0;
      },
    };
  }
}

function isHttp2(request: RpcRequest): request is Http2ServerRequest {
  return request.httpVersionMajor === 2;
}

function tooLarge(maxBytes: number): Problem {
  const detail = `The body is larger than ${maxBytes} bytes.`;
  return new Problem(413, 'ERR_SERVER_BODY_TOO_LARGE', { detail });
}
