/** The error codes of JSON-RPC 2.0 and, from −32000 on, those of Ethereum (EIP-1474). */
export const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** geth's code for a transaction that it refuses, and for other calls that it cannot execute. */
  refused: -32000,
  /** The store or the upstream cannot be reached now. */
  unavailable: -32002,
  /** A limit is exceeded. */
  limit: -32005,
} as const;

/** An error of a JSON-RPC answer. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** Further data; left out if `undefined`. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Returns the error for a refused transaction. The message is geth's, because wallets match it. */
export function refused(message: string): RpcError {
  return new RpcError(rpcCodes.refused, message);
}

/** Returns the error for a wrong parameter. */
export function wrongParams(message: string): RpcError {
  return new RpcError(rpcCodes.params, message);
}

/** Returns geth's error for an unknown method. */
export function noMethod(method: string): RpcError {
  return new RpcError(rpcCodes.method, `the method ${method.slice(0, 64)} does not exist/is not available`);
}
