import {
  authorize,
  type Caller,
  contentTypeOf,
  type Edge,
  type ExtensionParts,
  type HostEnvironment,
  HttpListener,
  headerOf,
  Problem,
  WaitingList,
} from 'mempool-server/edge';
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
import { type RpcMethod, rpcMethods } from './rpc-methods.ts';
import { paramsOfJson, paramsOfUri, type RpcParams } from './rpc-params.ts';
import { type RpcRequest, readRequests } from './rpc-request.ts';

/** The section `[edges.cometbft]`, with defaults filled in. */
export interface CometBftSection {
  /** The port to listen on; 0 means any free port. It listens on the `host` of `[server]`. */
  readonly port: number;
  /** The id of the chain, which clients sign; default `mempool`. */
  readonly chainId: string;
}

/** Opens the methods of CometBFT's RPC that are about its mempool, by JSON-RPC and by URI. */
export async function openCometBft(parts: ExtensionParts, { port, chainId }: CometBftSection): Promise<Edge> {
  const { pool, gate, options } = parts;
  let rpcAddress = '';
  const server = (): { chainId: string; rpcAddress: string } => ({ chainId, rpcAddress });
  const methods = rpcMethods({ pool, list: WaitingList.of(parts), server });
  const rpc = new CometBftRpc(parts, methods);
  const handle = (request: Request, environment: HostEnvironment): Promise<Response> => {
    const answer = (): Promise<Response> => rpc.answer(request, environment);
    const refused = (problem: Problem): Response => rpcAnswer({ fault: faultOf(problem) }, problem.status);
    return gate.serve(request, environment, answer, { refused });
  };
  const listener = await HttpListener.open(handle, { host: options.host, port });
  rpcAddress = listener.url.replace('http:', 'tcp:');
  return listener;
}

/** When the answers of a batch are longer than this, the calls that have not begun are refused. */
const maxBatchLength = 32 * 2 ** 20;

/** The id of a call by URI, which has none. */
const uriId = -1;

class CometBftRpc {
  readonly #parts: ExtensionParts;
  readonly #methods: ReadonlyMap<string, RpcMethod>;

  constructor(parts: ExtensionParts, methods: ReadonlyMap<string, RpcMethod>) {
    this.#parts = parts;
    this.#methods = methods;
  }

  async answer(request: Request, environment: HostEnvironment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/') return this.#answerBody(request, environment);
    const name = pathname.slice(1);
    const method = this.#methods.get(name);
    if (method === undefined) return notFoundAnswer();
    const sender = { request, caller: () => this.#parts.gate.identify(request, environment) };
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
          : await this.#answerRequests(bytes, { request, caller: counted });
      } finally {
        release();
      }
    } catch (error) {
      const fault = this.#faultOf(error);
      return rpcAnswer({ fault }, ownStatus(fault) ?? (fault.code === -32700 ? 500 : 400));
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
    sender: Sender,
    params: (method: RpcMethod) => RpcParams,
  ): Promise<RpcResponse> {
    const { gate } = this.#parts;
    const startedMs = performance.now();
    const method = this.#methods.get(name);
    const count = (status: number): void => {
      gate.count({
        route: `cometbft ${method === undefined ? 'unknown' : name}`,
        method: sender.request.method,
        status,
        startedMs,
      });
    };
    try {
      const caller = sender.caller();
      if (method === undefined) throw methodNotFound();
      if (method.scope !== null) authorize(caller, [method.scope]);
      const result = await method.call(params(method));
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
  readonly request: Request;
  /** Returns the sender and counts a call against the rate. @throws `Problem` 429 */
  caller(): Caller | null;
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
