import { extensionVersion, type SectionPlace } from '../config/extension.ts';
import type { SectionSchema } from '../config/field-forms.ts';
import type { Opened } from '../http/opened.ts';
import type { SharedParts } from '../http/shared-parts.ts';

/** A protocol that wallets and tools already use, which an extension serves on its own port. */
export interface Edge extends Opened {
  readonly url: string;
  readonly stop: NonNullable<Opened['stop']>;
}

/**
 * An extension of a server: the default export of the entry `/server` of a package. `[ledger]` of a configuration loads
 * `mempool-ledger`, `[edges.NAME]` loads `mempool-edge-NAME`.
 *
 * An edge checks each request with the server's one `Gate` first, so that tokens, scopes, rates and limits are those of the HTTP API:
 *
 * - `gate.serve` around each request of a `fetch` handler, with `refused` in the words of the protocol; else
 *   `gate.check`, `enter` and `leave`;
 * - `gate.identify`, then `authorize` with the scope: `submit` for a write, `read` for a read;
 * - `gate.waits` for a wait, `EventFeed` for a stream, with `gate.streams`, or `gate.holdStream` if its request
 *   stays in flight; `WebSockets` for a protocol that has them;
 * - `gate.fault` for every error, said in the words of the protocol; `gate.count` for the metrics.
 */
export interface Extension<Options> {
  /** The version of the contract, which `defineExtension` fills in. */
  readonly version: number;
  /** The section of the configuration, such as `edges.blockfrost`. */
  readonly section: string;
  /** The fields of the section. A field `xFile` next to a field `x` names a file with the value of `x`. */
  readonly schema: SectionSchema<Options>;
  /**
   * Checks the options against the rest of the configuration and resolves their relative paths. Returns the options for `open`.
   * @throws `ERR_MEMPOOL_CONFIG` naming the field
   */
  complete?(options: Options, place: SectionPlace): Options;
  /** Opens the extension. @throws the error of `listen`, such as `EADDRINUSE`; `ERR_MEMPOOL_CONFIG` if the pool does not fit */
  open(parts: ExtensionParts, options: Options): Promise<Opened>;
}

/** The parts of a server that its extensions use. The server owns and closes them. */
export type ExtensionParts = SharedParts;

/** Makes an extension for the version of `mempool-server` that is imported here. */
export function defineExtension<Options>(extension: Omit<Extension<Options>, 'version'>): Extension<Options> {
  return { version: extensionVersion, ...extension };
}
