import { isTable } from 'mempool-core/backend';
import type { Gate, Problem } from 'mempool-server/edge';
import type { Methods, Session } from './methods.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';

/** An id as JSON-RPC 2.0 allows it. */
type Id = string | number | null;

/** A batch with more calls is refused. */
const maxBatch = 1_000;
/** So many calls of a batch are under way at once. */
const maxAtOnce = 16;
/** Calls of a batch that have not begun by then are refused. */
const batchPatienceMs = 30_000;
/** When the answers of a batch are larger than this, the calls that have not begun are refused. */
const maxBatchBytes = 32 * 1024 * 1024;

/** The answer to a message. */
export interface RpcAnswer {
  /** JSON; `null` if the message has only notifications, which need no answer. */
  readonly text: string | null;
  /** The problem of a message that is a single call. */
  readonly problem: Problem | null;
}

/** Answers messages of JSON-RPC 2.0: a call, a notification, or a batch of them. */
export class JsonRpc {
  readonly #methods: Methods;
  readonly #gate: Gate;

  constructor(methods: Methods, gate: Gate) {
    this.#methods = methods;
    this.#gate = gate;
  }

  /** Answers a message and never rejects. The first call of the message has been counted against the rate limit already. */
  async answer(text: string, session: Session): Promise<RpcAnswer> {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return refusal(new RpcError(rpcCodes.parse, 'parse error: the message is not JSON'));
    }
    if (!Array.isArray(message)) return this.#single(message, session);
    if (message.length === 0) return refusal(invalidRequest('empty batch'));
    if (message.length > maxBatch) return refusal(invalidRequest(`batch too large: at most ${maxBatch} calls`));
    return { text: await this.#batch(message, session), problem: null };
  }

  async #batch(calls: readonly unknown[], session: Session): Promise<string | null> {
    const answers: (string | null)[] = new Array(calls.length).fill(null);
    const deadline = performance.now() + batchPatienceMs;
    let next = 0;
    let bytes = 0;
    const work = async (): Promise<void> => {
      while (next < calls.length) {
        const i = next++;
        const isOver = performance.now() > deadline || bytes > maxBatchBytes;
        const { text } = await this.#single(
          calls[i],
          isOver ? exhausted(session) : i === 0 ? session : counted(session),
        );
        answers[i] = text;
        bytes += text?.length ?? 0;
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, calls.length) }, work));
    const given = answers.filter((text) => text !== null);
    return given.length === 0 ? null : batchText(given);
  }

  async #single(call: unknown, session: Session): Promise<RpcAnswer> {
    const id = isTable(call) && isId(call.id) ? call.id : null;
    const isNotification = isTable(call) && !Object.hasOwn(call, 'id') && typeof call.method === 'string';
    try {
      session.admit();
      const { method, params } = requestOf(call);
      const result = await this.#methods.call(method, params, session);
      return { text: isNotification ? null : resultText(id, result), problem: null };
    } catch (error) {
      const problem = error instanceof RpcError ? null : this.#gate.fault(error);
      return {
        text: isNotification ? null : errorText(id, error instanceof RpcError ? error : rpcErrorOf(problem)),
        problem,
      };
    }
  }
}

/** The answer to a message without a call that can be run. */
function refusal(error: RpcError): RpcAnswer {
  return { text: errorText(null, error), problem: null };
}

/** One text of all answers. Large ones that were under way at once may be more than a string can hold. */
function batchText(answers: readonly string[]): string {
  try {
    return `[${answers.join(',')}]`;
  } catch {
    return errorText(null, new RpcError(rpcCodes.limit, 'the answer of the batch is too large'));
  }
}

/** The session of a call after the first one of a batch: it counts against the rate too. */
function counted(session: Session): Session {
  return { ...session, admit: () => session.count() };
}

function exhausted(session: Session): Session {
  const admit = (): void => {
    throw new RpcError(rpcCodes.limit, 'the batch takes too long, or its answer is too large');
  };
  return { ...session, admit };
}

/** @throws `RpcError` −32600 or −32602 */
function requestOf(call: unknown): { readonly method: string; readonly params: readonly unknown[] } {
  if (!isTable(call)) throw invalidRequest('a call must be an object');
  if (call.jsonrpc !== '2.0') throw invalidRequest('jsonrpc must be "2.0"');
  if (typeof call.method !== 'string') throw invalidRequest('method must be a string');
  if (Object.hasOwn(call, 'id') && !isId(call.id))
    throw invalidRequest('id must be a string, null, or a number that a double has exactly');
  // `null` is for clients that send it when there are none; geth takes it, too.
  const params = call.params ?? [];
  if (!Array.isArray(params)) throw new RpcError(rpcCodes.params, 'params must be an array');
  return { method: call.method, params };
}

/** A larger number would come back as another one. */
function isId(id: unknown): id is Id {
  return id === null || typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER);
}

function invalidRequest(why: string): RpcError {
  return new RpcError(rpcCodes.request, `invalid request: ${why}`);
}

function resultText(id: Id, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null });
}

function errorText(id: Id, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

const unauthorized = 4100;

/** A refusal or failure of the server, as JSON-RPC says it. */
function rpcErrorOf(problem: Problem | null): RpcError {
  const { status = 500, message = 'internal error' } = problem ?? {};
  return new RpcError(statusCodes[status] ?? rpcCodes.internal, message);
}

/** EIP-1193 has the code for a call that the token does not allow. */
const statusCodes: Readonly<Record<number, number>> = {
  400: rpcCodes.params,
  401: unauthorized,
  403: unauthorized,
  413: rpcCodes.request,
  415: rpcCodes.request,
  421: rpcCodes.request,
  422: rpcCodes.refused,
  429: rpcCodes.limit,
  503: rpcCodes.unavailable,
  507: rpcCodes.unavailable,
};

/** Returns the answer to a message that could not be read. */
export function problemText(problem: Problem): string {
  return errorText(null, rpcErrorOf(problem));
}
