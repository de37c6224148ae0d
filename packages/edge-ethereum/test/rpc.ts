import { join } from 'node:path';
import type { ServerOptions, StartServerOptions } from 'mempool-server';
import { ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { served } from '../../server/test/http/served.ts';
import { chainId } from './wallet.ts';

export interface RpcReply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const backends = ['ephemeral', 'sqlite', 'redis'] as const;

/** The fields of `[mempool]` for an empty priority pool of a backend, for this test alone. */
export async function poolOf(backend: (typeof backends)[number]): Promise<object> {
  const pool = { backend, ordering: 'priority' };
  if (backend === 'sqlite') return { ...pool, path: join(scratchFolder(), 'pool.sqlite') };
  return backend === 'redis' ? { ...pool, url: (await ownServer()).url } : pool;
}

/** A server with the edge, for this test alone. */
export async function edge(
  mempool: object = { backend: 'ephemeral', ordering: 'priority' },
  section: object = {},
  server: Partial<ServerOptions> = {},
  options: StartServerOptions = {},
): Promise<{ readonly url: string; readonly socketUrl: string; readonly running: Awaited<ReturnType<typeof served>> }> {
  const running = await served(mempool, server, options, { ethereum: { port: 0, chainId, ...section } });
  const url = running.edges.ethereum ?? '';
  return { url, socketUrl: url.replace('http', 'ws'), running };
}

/** Posts a text as it is. */
export function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

/** The answer to one call. */
export async function call(url: string, method: string, ...params: readonly unknown[]): Promise<RpcReply> {
  const answer = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return (await answer.json()) as RpcReply;
}

/** The message of the error that a call is answered with. */
export async function refusal(url: string, method: string, ...params: readonly unknown[]): Promise<string> {
  return (await call(url, method, ...params)).error?.message ?? 'no error';
}
