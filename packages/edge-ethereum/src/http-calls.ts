import {
  type Caller,
  clientKey,
  type FetchHandler,
  type Gate,
  type HostEnvironment,
  headerOf,
  Problem,
} from 'mempool-server/edge';
import { type JsonRpc, problemText } from './json-rpc.ts';
import type { Session } from './methods.ts';
import { authorizationOf } from './token-path.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const headers = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
/** A page's plain form cannot send these. */
const contentTypes = /^application\/(?:json|json-rpc|jsonrequest)\b/i;

/** Answers HTTP requests whose bodies are JSON-RPC. */
export class HttpCalls {
  readonly #rpc: JsonRpc;
  readonly #gate: Gate;

  constructor(rpc: JsonRpc, gate: Gate) {
    this.#rpc = rpc;
    this.#gate = gate;
  }

  readonly fetch: FetchHandler = (request, environment) => {
    const answer = async (): Promise<Response> => {
      const startedMs = performance.now();
      const response = await this.#answer(request, environment);
      this.#gate.count({ route: 'ethereum', method: 'POST', status: response.status, startedMs });
      return response;
    };
    return this.#gate.serve(request, environment, answer, { refused: rpcRefusal });
  };

  async #answer(request: Request, environment: HostEnvironment): Promise<Response> {
    try {
      assertPost(request, environment);
      const { pathname } = new URL(request.url);
      const authorization = authorizationOf(headerOf(request, environment, 'authorization'), pathname);
      const caller = this.#gate.identify(request, environment, authorization);
      const session = sessionOf(this.#gate, caller, environment);
      const { bytes, release } = await this.#gate.bodies.read(request, environment, caller);
      try {
        return await this.#called(bytes, session);
      } finally {
        release();
      }
    } catch (error) {
      return rpcRefusal(this.#gate.fault(error));
    }
  }

  async #called(bytes: Uint8Array, session: Session): Promise<Response> {
    const { text, problem } = await this.#rpc.answer(textOf(bytes), session);
    if (text === null) return new Response(null, { status: 204 });
    const isHttp = problem !== null && httpStatuses.has(problem.status);
    const status = isHttp ? problem.status : 200;
    return new Response(text, { status, headers: isHttp ? { ...problem.headers, ...headers } : headers });
  }
}

/** The answer to a request that is refused as a whole. */
function rpcRefusal(problem: Problem): Response {
  return new Response(problemText(problem), { status: problem.status, headers: { ...problem.headers, ...headers } });
}

/** A refusal of these is the answer to the request too: clients wait, or ask for a token. */
const httpStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429, 503]);

/** Returns the session of a request, for its calls. */
export function sessionOf(gate: Gate, caller: Caller | null, environment: HostEnvironment): Session {
  const owner = clientKey(caller, environment);
  const count = (): void => void gate.admit(caller, environment);
  return { caller, owner, subscriptions: null, admit: () => undefined, count };
}

/** What is no UTF-8 is no JSON either. */
function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return '';
  }
}

/** @throws `Problem` 405 or 415 */
function assertPost(request: Request, environment: HostEnvironment): void {
  if (request.method !== 'POST') {
    const detail = 'Send JSON-RPC by POST, or open a WebSocket.';
    throw new Problem(405, 'ERR_SERVER_METHOD', { detail, headers: { allow: 'POST' } });
  }
  if (contentTypes.test(headerOf(request, environment, 'content-type') ?? '')) return;
  throw new Problem(415, 'ERR_SERVER_CONTENT_TYPE', { detail: 'Send JSON-RPC as application/json.' });
}
