import { RpcFault, unreadable } from './rpc-fault.ts';

/** One request of a body. */
export interface RpcRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
}

/** More requests in one body are refused. */
const maxBatch = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the requests of a body, which is one or a list. Notifications are left out: CometBFT neither runs nor answers them.
 * @throws `RpcFault` −32700, or −32600 if they are too many
 */
export function readRequests(body: Uint8Array): RpcRequest[] {
  const given = parsed(textOfBody(body));
  if (!Array.isArray(given)) return requestsOf(given);
  if (given.length > maxBatch) throw tooMany(given.length);
  return given.flatMap(requestsOf);
}

/** Returns the request of a WebSocket's message, which has no batches; `null` for a notification. @throws `RpcFault` −32700 */
export function readRequest(message: string): RpcRequest | null {
  return requestsOf(parsed(message))[0] ?? null;
}

function tooMany(count: number): RpcFault {
  return new RpcFault(-32600, `maximum JSON-RPC batch size exceeded, got: ${count}, max: ${maxBatch}`, { status: 400 });
}

function textOfBody(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw unreadable('it is not UTF-8');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrongForm(error instanceof Error ? error.message : String(error));
  }
}

/** CometBFT reads every request before it runs the first, so one of a wrong form refuses all. */
function requestsOf(given: unknown): RpcRequest[] {
  const { id = null, method, params } = membersOf(given);
  return id === null ? [] : [{ id: idOf(id), method: textOf('method', method), params }];
}

function membersOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) throw wrongForm('a request must be an object');
  const members = given as Readonly<Record<string, unknown>>;
  textOf('jsonrpc', members.jsonrpc);
  return members;
}

/** A larger number would come back as another one. */
function idOf(id: unknown): string | number {
  if (typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))) return id;
  throw wrongForm('json-rpc ID must be a string or a whole number that a double has exactly');
}

function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw wrongForm(`${name} must be a string`);
}

function wrongForm(reason: string): RpcFault {
  return new RpcFault(-32700, `error unmarshaling request: ${reason.slice(0, 200)}`, { status: 400 });
}
