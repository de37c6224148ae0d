import { type DriverOptions, invalid } from 'mempool-core/backend';

export interface SqliteOptions {
  /** The pool's file; made where it is missing, in a directory that exists. */
  readonly path: string;
  /**
   * `full`, the default: what was answered survives a power cut (D1). `normal` is faster and survives a killed process,
   * but a power cut may take back the last calls, as if they had never been made.
   */
  readonly synchronous?: 'full' | 'normal' | undefined;
  /** `false`: the file must be there, else `ERR_MEMPOOL_INVALID` names `path`. Default `true`. */
  readonly create?: boolean | undefined;
}

export const optionNames = { path: true, synchronous: true, create: true } as const;

/** @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkedOptions<O extends DriverOptions & SqliteOptions>(options: O): O {
  const { path, synchronous = 'full', create = true } = options;
  if (!isFileName(path)) throw invalid('path', 'the name of a file');
  if (synchronous !== 'full' && synchronous !== 'normal') throw invalid('synchronous', "'full' or 'normal'");
  if (typeof create !== 'boolean') throw invalid('create', 'true or false');
  return options;
}

/** SQLite takes an empty name and `:memory:` for databases that vanish: no pool of a durable backend may be one. */
export function isFileName(path: unknown): path is string {
  return typeof path === 'string' && path !== '' && path !== ':memory:' && !path.includes('\0');
}
