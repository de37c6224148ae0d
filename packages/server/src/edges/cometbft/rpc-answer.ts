import type { RpcFault } from './rpc-fault.ts';
import type { RpcMethod } from './rpc-methods.ts';

/** The answer to one request. */
export interface RpcResponse {
  /** The id of the request; absent if the request could not be read. */
  readonly id?: string | number | undefined;
  readonly result?: object | undefined;
  readonly fault?: RpcFault | undefined;
}

/** Returns the answer to a body: one response, a list of several, or an empty answer if there is none. */
export function rpcAnswer(responses: readonly RpcResponse[], status: number): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  if (responses.length === 0) return new Response(null, { status, headers });
  const all = responses.map(({ id, result, fault }) => ({ jsonrpc: '2.0', id, result, error: fault }));
  const [first] = responses;
  const body = JSON.stringify(all.length === 1 ? all[0] : all);
  return new Response(body, { status, headers: { ...(all.length === 1 ? first?.fault?.headers : {}), ...headers } });
}

/** Returns the answer to a path that is not a method, with the text of CometBFT's HTTP library. */
export function notFoundAnswer(): Response {
  return new Response('404 page not found\n', {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

export function htmlAnswer(html: string): Response {
  return new Response(html, {
    headers: { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'" },
  });
}

/** Returns the list of methods that CometBFT shows to a browser. */
export function listOfMethods(methods: ReadonlyMap<string, RpcMethod>): string {
  const rows = Array.from(methods, ([name, { params }]) => {
    const path = params.length === 0 ? name : `${name}?${params.map((param) => `${param}=_`).join('&')}`;
    return `<a href="/${path}">${path}</a><br>`;
  });
  return `<html><body><br>Available endpoints:<br>${rows.join('')}</body></html>`;
}
