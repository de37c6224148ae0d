import type { Problem } from 'mempool-server/edge';

/** CometBFT's words for its codes. */
const messages = {
  [-32700]: 'Parse error. Invalid JSON',
  [-32600]: 'Invalid Request',
  [-32601]: 'Method not found',
  [-32602]: 'Invalid params',
  [-32603]: 'Internal error',
  [-32000]: 'Server error',
} as const;

/** A code of JSON-RPC that CometBFT answers. */
export type RpcCode = keyof typeof messages;

/** The HTTP status and headers of a fault. */
interface FaultDetails {
  /** The status for the metrics, and for HTTP if CometBFT has no status of its own. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An error of a call, in the form of JSON-RPC. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  readonly code: RpcCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param data what CometBFT puts into `data`: the reason; empty: none */
  constructor(code: RpcCode, data: string, { status, headers }: FaultDetails) {
    super(data);
    this.code = code;
    this.status = status;
    this.headers = headers ?? {};
  }

  /** Returns the member `error` of the answer. */
  toJSON(): object {
    const { code, message: data } = this;
    return { code, message: messages[code], ...(data === '' ? {} : { data }) };
  }
}

/** What the server refuses before the pool is asked: CometBFT's "Server error". Anything else is its "Internal error". */
const ownRefusals: ReadonlySet<number> = new Set([401, 403, 408, 415, 421, 429, 503]);

/** Converts a problem to a fault. */
export function faultOf({ status, message, headers }: Problem): RpcFault {
  if (status === 413) return unreadable('http: request body too large', status);
  return new RpcFault(ownRefusals.has(status) ? -32000 : -32603, message, { status, headers });
}

/** Returns the fault for a body that cannot be read. */
export function unreadable(reason: string, status = 400): RpcFault {
  return new RpcFault(-32600, `error reading request body: ${reason}`, { status });
}

/** Returns the fault for parameters of a wrong form. */
export function invalidParams(reason: string): RpcFault {
  return new RpcFault(-32602, reason, { status: 400 });
}

/** Returns the fault for a refusal by the pool that CometBFT reports as an error of the call. */
export function refusedByPool(reason: string): RpcFault {
  return new RpcFault(-32603, reason, { status: 409 });
}

/** Returns the fault for a method that does not exist. */
export function methodNotFound(): RpcFault {
  return new RpcFault(-32601, 'this is a mempool without a chain and an application: ask a node', { status: 404 });
}

/** Returns the fault for a call of a batch whose answers are too large already. */
export function batchTooLarge(): RpcFault {
  return new RpcFault(-32000, 'the answer of the batch is too large', { status: 413 });
}
