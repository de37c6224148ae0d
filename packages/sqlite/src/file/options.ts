import { type DriverOptions, invalid } from 'mempool-core/backend';

export interface SqliteOptions {
  /** The path of the pool's file. The file is created if it is missing; its directory must exist. */
  readonly path: string;
  /**
   * With `full`, the default, answered calls survive a power cut (D1). `normal` is faster. With it, answered calls survive a killed
   * process, but a power cut may undo the last ones.
   */
  readonly synchronous?: 'full' | 'normal' | undefined;
  /** If `false`, the file must exist, else the open fails with `ERR_MEMPOOL_INVALID` naming `path`. Default `true`. */
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

/** True for a path that SQLite opens as a file. For an empty name and `:memory:` it would open a temporary database. */
export function isFileName(path: unknown): path is string {
  return typeof path === 'string' && path !== '' && path !== ':memory:' && !path.includes('\0');
}
