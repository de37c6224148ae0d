import { MethodKind } from '@bufbuild/protobuf';
import { type ConnectRouter, cors, createContextValues } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { authorize, type Gate, notFound, type Problem, type Scope, type ServerOptions } from 'mempool-server/edge';
import { dropFarDeadline } from './deadline.ts';
import { RpcBodies } from './rpc-bodies.ts';
import { type RpcCall, rpcCall, rpcError } from './rpc-call.ts';
import type { RpcRequest, RpcResponse } from './rpc-port.ts';
import { cutOff, watched } from './watched-answer.ts';

/** The scope that a call of this method needs. */
export type ScopeOf = (method: string) => Scope;

/** Answers the calls of a service. It checks each call with the gate, then Connect answers in the protocol of the client. */
export class RpcServer {
  readonly #gate: Gate;
  readonly #bodies: RpcBodies;
  readonly #scopeOf: ScopeOf;
  readonly #handlers: ReadonlyMap<string, UniversalHandler>;

  constructor(gate: Gate, { maxBodyBytes }: ServerOptions, { handlers }: ConnectRouter, scopeOf: ScopeOf) {
    this.#gate = gate;
    this.#bodies = new RpcBodies(maxBodyBytes, gate.held);
    this.#scopeOf = scopeOf;
    this.#handlers = new Map(handlers.map((handler) => [handler.requestPath, handler]));
  }

  /** Answers one request. It never throws. */
  answer(request: RpcRequest, response: RpcResponse): void {
    // A client that breaks off has no other effect than that its call ends.
    response.on('error', () => undefined);
    try {
      const origin = this.#gate.check(null, { incoming: request, outgoing: response });
      if (origin !== null) allow(response, origin);
      if (origin !== null && request.method === 'OPTIONS') {
        response.statusCode = 204;
        response.end();
        return;
      }
      const handler = this.#handlers.get((request.url ?? '').split('?', 1)[0] ?? '');
      if (handler === undefined) throw notFound('There is no such method.');
      void this.#call(handler, request, response);
    } catch (error) {
      refuse(response, this.#gate.fault(error));
    }
  }

  async #call(handler: UniversalHandler, request: RpcRequest, response: RpcResponse): Promise<void> {
    const startedMs = performance.now();
    const body = this.#bodies.hold(request);
    const { refusal, leave, owe } = this.#enter(handler, request, response);
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const call: RpcCall = { status: 200, cut: () => cutOff(response), closed, owe };
    // A stream may be silent for long. What cuts off a client that is gone or does not read is TCP's keep-alive and `watched`.
    if (refusal === null && isHttp1(request) && handler.method.kind === MethodKind.ServerStreaming)
      request.socket.setTimeout(0);
    response.once('close', () => {
      body.release();
      leave();
      const status = refusal?.status ?? call.status;
      this.#gate.count({ route: handler.requestPath, method: 'POST', status, startedMs });
    });
    try {
      const values = createContextValues().set(rpcCall, call);
      const universal = universalRequestFromNodeRequest(request, response, undefined, values);
      dropFarDeadline(universal.header);
      const bytes = refusal === null ? body.bytes() : throwing(rpcError(refusal));
      const answered = await handler({ ...universal, body: bytes });
      await universalResponseToNodeResponse(watched(answered, response), response);
    } catch {
      // The client has left. Nobody reads an answer.
      cutOff(response);
    }
  }

  /** Lets a call in. A refusal is answered by Connect, in the protocol of the client. */
  #enter(
    handler: UniversalHandler,
    incoming: RpcRequest,
    outgoing: RpcResponse,
  ): Pick<RpcCall, 'owe'> & { readonly refusal: Problem | null; readonly leave: () => void } {
    const gate = this.#gate;
    const environment = { incoming, outgoing };
    let leave = (): void => undefined;
    try {
      gate.enter();
      leave = () => gate.leave();
      const caller = gate.identify(null, environment);
      authorize(caller, [this.#scopeOf(handler.method.name)]);
      return { refusal: null, leave, owe: (count) => gate.owe(caller, environment, count) };
    } catch (error) {
      return { refusal: gate.fault(error), leave, owe: () => undefined };
    }
  }
}

/** HTTP/2 has no limit of silence: there, each connection is asked for a sign of life. */
function isHttp1({ httpVersionMajor }: RpcRequest): boolean {
  return httpVersionMajor === 1;
}

/** A body that gives an error in place of its bytes. */
function throwing(error: Error): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}

/** Lets a page of this origin call, and read the answer. */
function allow(response: RpcResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'Origin');
  response.setHeader('access-control-allow-methods', 'POST');
  response.setHeader('access-control-allow-headers', ['authorization', ...cors.allowedHeaders].join(', '));
  response.setHeader('access-control-expose-headers', ['mempool-code', ...cors.exposedHeaders].join(', '));
  response.setHeader('access-control-max-age', '600');
}

/** Answers what is no call of a method. */
function refuse(response: RpcResponse, { status, code, message: detail }: Problem): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/problem+json');
  response.end(JSON.stringify({ type: 'about:blank', status, detail, code }));
}
