import type { MempoolConfig } from 'mempool-core';
import type { SectionSchema } from './field-forms.ts';

/**
 * The version of the contract between a server and its extensions. It grows when an extension that was written for the
 * version before would no longer work.
 */
export const extensionVersion = 1;

/** The rest of a configuration, as far as a section may depend on it. */
export interface SectionPlace {
  /** The folder from which relative paths are resolved. */
  readonly folder: string;
  /** The section `[mempool]`. */
  readonly mempool: MempoolConfig<string>;
}

/** An extension as far as the configuration reads it: `never` admits the parts and options of every extension. */
export interface SectionExtension {
  /** The `extensionVersion` for which it was written. */
  readonly version: number;
  /** The section that it reads, such as `edges.ethereum`. */
  readonly section: string;
  /** The fields of the section. A field `xFile` next to a field `x` names a file with the value of `x`. */
  readonly schema: SectionSchema<unknown>;
  readonly complete?: ((options: never, place: SectionPlace) => unknown) | undefined;
  readonly open: (parts: never, options: never) => Promise<unknown>;
}

/** An extension with the checked options of its section. */
export interface ConfiguredExtension {
  readonly extension: SectionExtension;
  readonly options: unknown;
}
