import type { SharedParts } from '../http/http-server.ts';

/**
 * A protocol that wallets and tools already use, on its own port. Each edge is a file or a folder here. It checks every
 * request with the server's one `Gate` first, so that tokens, scopes, rates and limits are those of the HTTP API:
 *
 * - `gate.serve` around each request of a `fetch` handler, with `refused` in the words of the protocol; else
 *   `gate.check`, `enter` and `leave`;
 * - `gate.identify`, then `authorize` with the scope: `submit` for what writes, `read` for the rest;
 * - `gate.waits` for what waits, `EventFeed` for what streams, with `gate.streams`, or `gate.holdStream` if its request
 *   stays in flight;
 * - `gate.fault` for every error, said in the words of the protocol; `gate.count` for the metrics.
 */
export interface Edge {
  /** The URL of the edge, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * Accepts no more connections. Ends the others when `drained` has resolved and their answers are sent, or after `drainMs`.
   */
  stop(drained: Promise<void>, drainMs: number): Promise<void>;
}

/** Opens an edge. @throws the error of `listen`, such as `EADDRINUSE`; `ERR_MEMPOOL_CONFIG` if the pool does not fit */
export type OpenEdge<Section> = (parts: SharedParts, section: Section) => Promise<Edge>;
