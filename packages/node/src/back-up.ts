import { type ConfigFields, MempoolError } from 'mempool-core';

/**
 * Copies the store of a pool into a new file, while others use the pool. Only for `sqlite`; on Redis the server makes backups.
 *
 * @returns the size of the copy, in bytes
 * @throws `ERR_MEMPOOL_UNSUPPORTED` for any other backend; the errors of `backUpFile` of mempool-sqlite
 */
export async function backUp({ backend, path }: Pick<ConfigFields, 'backend' | 'path'>, to: string): Promise<number> {
  if (backend !== 'sqlite' || path === undefined)
    throw new MempoolError('ERR_MEMPOOL_UNSUPPORTED', `backend ${backend} has no file to copy while it is in use`);
  const { backUpFile } = await import('mempool-sqlite');
  return backUpFile(path, to);
}
