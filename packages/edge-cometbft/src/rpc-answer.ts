import type { RpcFault } from './rpc-fault.ts';
import type { RpcMethod } from './rpc-methods.ts';

/** The answer to one request. */
export interface RpcResponse {
  /** The id of the request; absent if the request could not be read. */
  readonly id?: string | number | undefined;
  readonly result?: object | undefined;
  readonly fault?: RpcFault | undefined;
}

/** Returns a response as JSON. */
export function responseText({ id, result, fault }: RpcResponse): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result, error: fault });
}

/** Returns the answer to a request alone. */
export function rpcAnswer(response: RpcResponse, status: number): Response {
  return jsonAnswer(responseText(response), status, response.fault?.headers);
}

/** Returns the answer to a batch with several responses. */
export function batchAnswer(texts: readonly string[]): Response {
  return jsonAnswer(`[${texts.join(',')}]`, 200);
}

/** Returns the empty answer to a body of which nothing is answered. */
export function emptyAnswer(): Response {
  return jsonAnswer(null, 200);
}

function jsonAnswer(text: string | null, status: number, own: Readonly<Record<string, string>> = {}): Response {
  const headers = { ...own, 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new Response(text, { status, headers });
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
