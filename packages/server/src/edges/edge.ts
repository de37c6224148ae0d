import { extensionVersion } from '../config/extension.ts';
import type { SectionSchema } from '../config/field-forms.ts';
import type { SharedParts } from '../http/http-server.ts';

/** A protocol that wallets and tools already use, which an extension of the server serves on its own port. */
export interface Edge {
  /** The URL of the edge, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * Accepts no more connections. Ends the others when `drained` has resolved and their answers are sent, or after `drainMs`.
   */
  stop(drained: Promise<void>, drainMs: number): Promise<void>;
}

/**
 * An edge as the default export of the entry `/server` of a package: `[edges.NAME]` of a configuration loads `mempool-edge-NAME`.
 * It checks each request with the server's one `Gate` first, so that tokens, scopes, rates and limits are those of the HTTP API:
 *
 * - `gate.serve` around each request of a `fetch` handler, with `refused` in the words of the protocol; else
 *   `gate.check`, `enter` and `leave`;
 * - `gate.identify`, then `authorize` with the scope: `submit` for a write, `read` for a read;
 * - `gate.waits` for a wait, `EventFeed` for a stream, with `gate.streams`, or `gate.holdStream` if its request
 *   stays in flight;
 * - `gate.fault` for every error, said in the words of the protocol; `gate.count` for the metrics.
 */
export interface EdgeExtension<Options> {
  /** The version of the contract, which `defineEdge` fills in. */
  readonly version: number;
  /** The section of the configuration, such as `edges.blockfrost`. */
  readonly section: string;
  /** The fields of the section. A field `xFile` next to a field `x` names a file with the value of `x`. */
  readonly schema: SectionSchema<Options>;
  /** Opens the edge. @throws the error of `listen`, such as `EADDRINUSE`; `ERR_MEMPOOL_CONFIG` if the pool does not fit */
  open(parts: EdgeParts, options: Options): Promise<Edge>;
}

/** The parts of a server that its edges use. The server owns and closes them. */
export type EdgeParts = SharedParts;

/** Makes an edge for the version of `mempool-server` that is imported here. */
export function defineEdge<Options>(edge: Omit<EdgeExtension<Options>, 'version'>): EdgeExtension<Options> {
  return { version: extensionVersion, ...edge };
}
