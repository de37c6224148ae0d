import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { type Gate, stopping } from 'mempool-server/edge';
import { rpcCall, rpcError } from './rpc-call.ts';

/** Answers a request. */
export type Unary<I, O> = (request: I, context: HandlerContext) => Promise<O>;

/** Answers a request with a stream of answers. */
export type Streaming<I, O> = (request: I, context: HandlerContext) => AsyncGenerator<O, void>;

/** Makes methods of a service from functions that throw the errors of a server. */
export class RpcMethods {
  readonly #gate: Gate;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** A method with one answer. */
  unary<I, O>(answer: Unary<I, O>): Unary<I, O> {
    return async (request, context) => {
      try {
        return await answer(request, context);
      } catch (error) {
        throw this.#said(error, context);
      }
    };
  }

  /**
   * Makes a method with a stream of answers. If the server stops, the stream ends with an error, so that its client knows
   * that it is not complete.
   * @param hold takes the stream's slot, and returns a function that releases it
   */
  streaming<I, O>(hold: () => () => void, answers: Streaming<I, O>): Streaming<I, O> {
    const gate = this.#gate;
    const said = (error: unknown, context: HandlerContext): ConnectError => this.#said(error, context);
    return async function* held(request, context) {
      try {
        const leave = hold();
        try {
          yield* answers(request, context);
        } finally {
          leave();
        }
        context.signal.throwIfAborted();
        if (gate.stopping.aborted) throw stopping();
      } catch (error) {
        throw said(error, context);
      }
    };
  }

  #said(error: unknown, { signal, values, protocolName, responseTrailer }: HandlerContext): ConnectError {
    const call = values.get(rpcCall);
    // The reason is Connect's own: it tells a deadline from a client that has left.
    if (signal.aborted) {
      call.status = 499;
      return ConnectError.from(signal.reason, Code.Canceled);
    }
    const problem = this.#gate.fault(error);
    call.status = problem.status;
    const said = rpcError(problem);
    // Connect puts the metadata of an error beside it by itself.
    if (protocolName !== 'connect') for (const [key, value] of said.metadata) responseTrailer.set(key, value);
    return said;
  }
}
