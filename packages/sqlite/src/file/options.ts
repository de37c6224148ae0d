import { type DriverOptions, invalid } from 'mempool-core/backend';

export interface SqliteOptions {
  /** The pool's file. Created if it is missing; its directory must exist. */
  readonly path: string;
  /**
   * `full`, the default: answered calls survive a power cut (D1). `normal` is faster: answered calls survive a killed process, but
   * a power cut may undo the last ones.
   */
  readonly synchronous?: 'full' | 'normal' | undefined;
  /** `false`: the file must exist, else `ERR_MEMPOOL_INVALID` naming `path`. Default `true`. */
  readonly create?: boolean | undefined;
}

export const optionNames = { path: true, synchronous: true, create: true } as const;

/** Checks and returns the options. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkedOptions<O extends DriverOptions & SqliteOptions>(options: O): O {
  const { path, synchronous = 'full', create = true } = options;
  if (!isFileName(path)) throw invalid('path', 'the name of a file');
  if (synchronous !== 'full' && synchronous !== 'normal') throw invalid('synchronous', "'full' or 'normal'");
  if (typeof create !== 'boolean') throw invalid('create', 'true or false');
  return options;
}

/** SQLite opens temporary databases for an empty name and for `:memory:`. A durable backend must refuse both. */
export function isFileName(path: unknown): path is string {
  return typeof path === 'string' && path !== '' && path !== ':memory:' && !path.includes('\0');
}
