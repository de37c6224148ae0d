import { createHash } from 'node:crypto';
import type { Mempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import {
  loadServerConfig,
  type RunningServer,
  type Scope,
  type ServerOptions,
  type StartServerOptions,
  startServer,
  type TokenOptions,
} from 'mempool-server';
import { onTestFinished } from 'vitest';

/** A server for this test alone, on a free port. */
export async function served(
  mempool: object = { backend: 'ephemeral' },
  server: Partial<ServerOptions> = {},
  options: StartServerOptions = {},
  edges: object = {},
  sections: object = {},
): Promise<RunningServer> {
  const config = await loadServerConfig({ mempool, edges, ...sections }, { server: { port: 0, ...server } });
  const running = await startServer(config, options);
  onTestFinished(() => running.close());
  return running;
}

/** A pool in memory for this test alone. */
export async function ownPool(): Promise<Mempool> {
  const pool = await ephemeral.open({});
  onTestFinished(() => pool.close());
  return pool;
}

/** A token. Its text is its name, unless another one is given. */
export function tokenOf(
  name: string,
  scopes: readonly Scope[],
  { text = name, ...owners }: { readonly text?: string } & Pick<TokenOptions, 'owners'> = {},
): TokenOptions {
  return { name, scopes, hash: `sha256:${createHash('sha256').update(text).digest('hex')}`, ...owners };
}

/** The header of a request with a token. */
export function bearer(text: string): { readonly authorization: string } {
  return { authorization: `Bearer ${text}` };
}
