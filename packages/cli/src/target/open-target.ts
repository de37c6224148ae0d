import { loadServerConfig, type ServerConfig } from 'mempool-server';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openExisting, openOrMake, StoreTarget } from './store-target.ts';
import type { Target } from './target.ts';

/** Where the command's pool is, as its options say. */
export interface Place {
  readonly config?: string | undefined;
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** Opens the pool of a command that makes no pool. */
export async function openTarget(place: Place, terminal: Terminal): Promise<Target> {
  const config = await configOf(place, terminal);
  return new StoreTarget(await openExisting(config), config);
}

/** As `openTarget`, but makes the pool if its store has none. */
export async function openTargetOrMake(place: Place, terminal: Terminal): Promise<Target> {
  const config = await configOf(place, terminal);
  return new StoreTarget(await openOrMake(config), config);
}

/** The configuration of a command that works on a store. @throws `Failure` if no file was named */
export function configOf({ config }: Place, { env }: Terminal): Promise<ServerConfig> {
  const path = config ?? env.MEMPOOL_CONFIG;
  if (path === undefined || path === '') {
    throw new Failure(exitCodes.usage, 'which pool? give -c <file> for a store, or --url <url> for a server');
  }
  return loadServerConfig(path, { env });
}
