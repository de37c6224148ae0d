import { z } from '@hono/zod-openapi';
import { scopes } from '../config/server-config.ts';
import { type Endpoint, jsonEndpoint } from './endpoint.ts';

/** Tells a client who it is. */
export function sessionEndpoint(): Endpoint {
  return jsonEndpoint({
    path: '/api/v1/session',
    summary: 'The token of this request, and what it may do',
    tag: 'server',
    scopes,
    description: 'token is null on a server without tokens. login: the request came with the cookie of a login.',
    schema: z.object({ token: z.string().nullable(), scopes: z.array(z.enum(scopes)), login: z.boolean() }),
    answer: ({ caller }) => {
      const { name = null, scopes: own = new Set(), ended } = caller ?? {};
      return { token: name, scopes: [...own], login: ended !== undefined };
    },
  });
}
