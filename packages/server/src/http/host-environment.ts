import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** What `@hono/node-server` gives beside the request. Another host gives none of it. */
export interface HostEnvironment {
  readonly incoming?: IncomingMessage | Http2ServerRequest | undefined;
  readonly outgoing?: ServerResponse | Http2ServerResponse | undefined;
}

/** A header of a request. On Node it is read from the parsed headers, which is faster. */
export function headerOf(request: Request | null, environment: HostEnvironment, name: string): string | undefined {
  const parsed = environment.incoming?.headers;
  if (parsed === undefined) return request?.headers.get(name) ?? undefined;
  const value = parsed[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The content type of a request in lower case, without its parameters; empty if there is none. */
export function contentTypeOf(request: Request, environment: HostEnvironment): string {
  const [type = ''] = (headerOf(request, environment, 'content-type') ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/** The address that a request came from; empty if the host does not tell. */
export function addressOf({ incoming }: HostEnvironment): string {
  return incoming?.socket.remoteAddress ?? '';
}
