import type { IncomingMessage } from 'node:http';
import {
  authorize,
  type Caller,
  type Conversation,
  contentTypeOf,
  type Edge,
  type ExtensionParts,
  type HostEnvironment,
  HttpListener,
  headerOf,
  type Line,
  notFound,
  Problem,
  WaitingList,
  WebSockets,
} from 'mempool-server/edge';
import { BlockTransactions } from './block-transactions.ts';
import {
  batchAnswer,
  emptyAnswer,
  htmlAnswer,
  listOfMethods,
  notFoundAnswer,
  type RpcResponse,
  responseText,
  rpcAnswer,
} from './rpc-answer.ts';
import { batchTooLarge, faultOf, methodNotFound, RpcFault } from './rpc-fault.ts';
import { type RpcMethod, rpcMethods, type WaitingCaller } from './rpc-methods.ts';
import { paramsOfJson, paramsOfUri, type RpcParams } from './rpc-params.ts';
import { type RpcRequest, readRequest, readRequests } from './rpc-request.ts';
import { TxSubscriptions } from './tx-subscriptions.ts';

/** The section `[edges.cometbft]`, with defaults filled in. */
export interface CometBftSection {
  /** The port to listen on; 0 means any free port. It listens on the `host` of `[server]`. */
  readonly port: number;
  /** The id of the chain, which clients sign; default `mempool`. */
  readonly chainId: string;
}

/** Opens the methods of CometBFT's RPC that are about its mempool, by JSON-RPC, by URI and by WebSocket. */
export async function openCometBft(parts: ExtensionParts, { port, chainId }: CometBftSection): Promise<Edge> {
  const { pool, gate, options } = parts;
  let rpcAddress = '';
  const server = (): { chainId: string; rpcAddress: string } => ({ chainId, rpcAddress });
  const blocks = new BlockTransactions(pool);
  const methods = rpcMethods({ pool, list: WaitingList.of(parts), waits: gate.waits, blocks, server });
  const rpc = new CometBftRpc(parts, methods, blocks);
  const handle = (request: Request, environment: HostEnvironment): Promise<Response> => {
    const answer = (): Promise<Response> => rpc.answer(request, environment);
    const refused = (problem: Problem): Response => rpcAnswer({ fault: faultOf(problem) }, problem.status);
    return gate.serve(request, environment, answer, { refused });
  };
  const listener = await HttpListener.open(handle, { host: options.host, port });
  rpcAddress = listener.url.replace('http:', 'tcp:');
  const socketPort = { gate, http: listener.http, maxMessageBytes: options.maxBodyBytes };
  const sockets = new WebSockets(
    { authorization: authorizationOf, open: rpc.converse, refused: refusedText },
    socketPort,
  );
  const stop = async (drained: Promise<void>, drainMs: number): Promise<void> => {
    await Promise.all([sockets.stop(drained, drainMs), listener.stop(drained, drainMs)]);
  };
  return { url: listener.url, stop };
}

/** @throws `Problem` 404 */
function authorizationOf({ url = '', headers }: IncomingMessage): string | undefined {
  if (!/^\/websocket(?:\?|$)/.test(url)) throw notFound('The WebSocket is at /websocket.');
  return headers.authorization;
}

function refusedText(problem: Problem): string {
  return responseText({ fault: faultOf(problem) });
}

/** When the answers of a batch are longer than this, the calls that have not begun are refused. */
const maxBatchLength = 32 * 2 ** 20;

/** The id of a call by URI, which has none. */
const uriId = -1;

class CometBftRpc {
  readonly #parts: ExtensionParts;
  readonly #methods: ReadonlyMap<string, RpcMethod>;
  readonly #blocks: BlockTransactions;

  constructor(parts: ExtensionParts, methods: ReadonlyMap<string, RpcMethod>, blocks: BlockTransactions) {
    this.#parts = parts;
    this.#methods = methods;
    this.#blocks = blocks;
  }

  async answer(request: Request, environment: HostEnvironment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/') return this.#answerBody(request, environment);
    const name = pathname.slice(1);
    const method = this.#methods.get(name);
    if (method === undefined) return notFoundAnswer();
    const identify = (): Caller | null => this.#parts.gate.identify(request, environment);
    const sender = { identify, verb: request.method, waiting: { request, environment } };
    const response = await this.#called(name, uriId, sender, () => {
      if (method.writes) refuseOtherSites(request, environment);
      return paramsOfUri(method.params, searchParams);
    });
    // CometBFT answers every fault of a call by URI with 500. A status of the server's own says more.
    return rpcAnswer(response, response.fault === undefined ? 200 : (ownStatus(response.fault) ?? 500));
  }

  async #answerBody(request: Request, environment: HostEnvironment): Promise<Response> {
    if (request.method === 'GET' || request.method === 'HEAD') return htmlAnswer(listOfMethods(this.#methods));
    try {
      refusePlainForms(request, environment);
      const { gate } = this.#parts;
      const caller = gate.identify(request, environment);
      const { bytes, release } = await gate.bodies.read(request, environment, caller);
      let calls = 0;
      const counted = (): Caller | null => {
        calls += 1;
        return calls === 1 ? caller : gate.admit(caller, environment);
      };
      try {
        return bytes.length === 0
          ? htmlAnswer(listOfMethods(this.#methods))
          : await this.#answerRequests(bytes, {
              identify: counted,
              verb: request.method,
              waiting: { request, environment },
            });
      } finally {
        release();
      }
    } catch (error) {
      const fault = this.#faultOf(error);
      return rpcAnswer({ fault }, ownStatus(fault) ?? (fault.code === -32700 ? 500 : 400));
    }
  }

  /** Begins the conversation of a WebSocket. */
  readonly converse = (caller: Caller | null, _incoming: IncomingMessage, line: Line): Conversation => {
    const { gate, hub } = this.#parts;
    const subscriptions = new TxSubscriptions({ gate, hub, blocks: this.#blocks }, line);
    const leaving = new AbortController();
    const senderOf = (refusal: unknown): Sender => ({
      identify: () => {
        if (refusal !== null) throw refusal;
        return caller;
      },
      verb: 'GET',
      waiting: { request: { signal: leaving.signal }, environment: {} },
      own: subscriptions.methods,
    });
    return {
      answer: (text, refusal) => this.#answerMessage(text, senderOf(refusal)),
      get subscriptionCount() {
        return subscriptions.count;
      },
      end: () => {
        leaving.abort();
        subscriptions.end();
      },
    };
  };

  async #answerMessage(text: string, sender: Sender): Promise<string | null> {
    try {
      const request = readRequest(text);
      return request === null ? null : responseText(await this.#requested(request, sender));
    } catch (error) {
      return responseText({ fault: this.#faultOf(error) });
    }
  }

  async #answerRequests(body: Uint8Array, sender: Sender): Promise<Response> {
    const requests = readRequests(body);
    const [first] = requests;
    if (first === undefined) return emptyAnswer();
    if (requests.length > 1) return batchAnswer(await this.#answerBatch(requests, sender));
    const response = await this.#requested(first, sender);
    return rpcAnswer(response, response.fault === undefined ? 200 : (ownStatus(response.fault) ?? 200));
  }

  /** Each response becomes a text at once: that is how its size is known. */
  async #answerBatch(requests: readonly RpcRequest[], sender: Sender): Promise<string[]> {
    const texts: string[] = [];
    let length = 0;
    for (const request of requests) {
      const response =
        length > maxBatchLength ? { id: request.id, fault: batchTooLarge() } : await this.#requested(request, sender);
      const text = responseText(response);
      length += text.length;
      texts.push(text);
    }
    return texts;
  }

  #requested({ id, method, params }: RpcRequest, sender: Sender): Promise<RpcResponse> {
    return this.#called(method, id, sender, ({ params: names }) => paramsOfJson(names, params));
  }

  /** Runs one call. Each counts against the rate, also in a batch. */
  async #called(
    name: string,
    id: string | number,
    { identify, verb, waiting, own }: Sender,
    params: (method: RpcMethod) => RpcParams,
  ): Promise<RpcResponse> {
    const { gate } = this.#parts;
    const startedMs = performance.now();
    const method = own?.get(name) ?? this.#methods.get(name);
    const count = (status: number): void => {
      gate.count({
        route: `cometbft ${method === undefined ? 'unknown' : name}`,
        method: verb,
        status,
        startedMs,
      });
    };
    try {
      const caller = identify();
      if (method === undefined) throw methodNotFound();
      if (method.scope !== null) authorize(caller, [method.scope]);
      const result = await method.call(params(method), { id, ...waiting });
      count(200);
      return { id, result };
    } catch (error) {
      const fault = this.#faultOf(error);
      count(fault.status);
      return { id, fault };
    }
  }

  #faultOf(error: unknown): RpcFault {
    return error instanceof RpcFault ? error : faultOf(this.#parts.gate.fault(error));
  }
}

/** The sender of a call. */
interface Sender {
  /** Finds out who it is, and counts the call against the rate. @throws `Problem` */
  readonly identify: () => Caller | null;
  /** The HTTP method. */
  readonly verb: string;
  readonly waiting: WaitingCaller;
  /** The methods of its WebSocket. */
  readonly own?: ReadonlyMap<string, RpcMethod>;
}

/** The HTTP status of a refusal that CometBFT does not know: of tokens, rates and limits. */
function ownStatus({ code, status }: RpcFault): number | null {
  return code === -32000 ? status : null;
}

const formTypes: ReadonlySet<string> = new Set([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

/** A form of any page can send these types without asking. @throws `Problem` 415 */
function refusePlainForms(request: Request, environment: HostEnvironment): void {
  if (formTypes.has(contentTypeOf(request, environment)))
    throw new Problem(415, 'ERR_SERVER_CONTENT_TYPE', { detail: 'Send application/json.' });
}

/**
 * An image of any page can cause a GET without an `Origin`, but browsers say where it came from. The gate has checked an `Origin`.
 * @throws `Problem` 403
 */
function refuseOtherSites(request: Request, environment: HostEnvironment): void {
  if (headerOf(request, environment, 'origin') !== undefined) return;
  const site = headerOf(request, environment, 'sec-fetch-site') ?? 'none';
  if (site !== 'none' && site !== 'same-origin')
    throw new Problem(403, 'ERR_SERVER_ORIGIN', { detail: 'Pages of other origins may not call this server.' });
}
