import { readFile } from 'node:fs/promises';
import { isLoopback, type LoadOptions, loadServerConfig, type ServerConfig } from 'mempool-server';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { HttpClient } from './http-client.ts';
import { ServerTarget } from './server-target.ts';
import { openExisting, openOrMake, StoreTarget } from './store-target.ts';
import type { Target } from './target.ts';

/** The options of a command that select its pool. */
export interface Place {
  readonly config?: string | undefined;
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** Opens the pool of a command. It makes no pool. */
export async function openTarget(place: Place, terminal: Terminal): Promise<Target> {
  return (await openServer(place, terminal)) ?? openStore(place, terminal);
}

/** Does the same as `openTarget`, but makes the pool if its store has none. */
export async function openTargetOrMake(place: Place, terminal: Terminal): Promise<Target> {
  const server = await openServer(place, terminal);
  if (server !== null) return server;
  const config = await configOf(place, terminal);
  return new StoreTarget(await openOrMake(config), config);
}

/** Opens the pool of a command that needs the store itself. */
export async function openStore(place: Place, terminal: Terminal): Promise<StoreTarget> {
  const config = await configOf(place, terminal);
  return new StoreTarget(await openExisting(config), config);
}

/** Returns the server that the options or the environment name; `null` if the options name a store. */
export async function openServer(place: Place, terminal: Terminal): Promise<ServerTarget | null> {
  const client = await openClient(place, terminal);
  return client === null ? null : new ServerTarget(client, (reason) => terminal.note(`${reason}; connecting again`));
}

/** Returns the client of the server that the options or the environment name; `null` if the options name a store. */
export async function openClient({ config, url, tokenFile }: Place, terminal: Terminal): Promise<HttpClient | null> {
  const { env } = terminal;
  if (config !== undefined && url !== undefined)
    throw new Failure(exitCodes.usage, 'give -c for a store or --url for a server, not both');
  const address = config === undefined ? (url ?? env.MEMPOOL_URL ?? '') : '';
  if (address === '') return null;
  if (url === undefined && (env.MEMPOOL_CONFIG ?? '') !== '')
    throw new Failure(exitCodes.usage, 'MEMPOOL_URL and MEMPOOL_CONFIG are both set: give -c or --url');
  const token = tokenFile === undefined ? (env.MEMPOOL_TOKEN ?? null) : await readToken(tokenFile);
  const client = new HttpClient(address, token === '' ? null : token);
  const { protocol, hostname } = new URL(address);
  if (token !== null && protocol === 'http:' && !isLoopback(hostname))
    terminal.note('the token goes over the network unencrypted: use https');
  return client;
}

async function readToken(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(exitCodes.usage, `cannot read --token-file ${path}: ${error.code}`);
  });
  const token = text.trim();
  if (!/^[!-~]{1,4096}$/.test(token)) throw new Failure(exitCodes.usage, `--token-file ${path} has no token`);
  return token;
}

/**
 * Returns the configuration of a command that works on a store.
 * @param server fields that replace those of the configuration
 * @throws `Failure` if no file was named
 */
export function configOf(
  { config, url }: Place,
  { env }: Terminal,
  server: LoadOptions['server'] = {},
): Promise<ServerConfig> {
  if (url !== undefined && config === undefined)
    throw new Failure(exitCodes.usage, 'this command works on the store itself: give -c <file>');
  const path = config ?? env.MEMPOOL_CONFIG;
  if (path === undefined || path === '')
    throw new Failure(exitCodes.usage, 'which pool? give -c <file> for a store, or --url <url> for a server');
  return loadServerConfig(path, { env, server });
}
