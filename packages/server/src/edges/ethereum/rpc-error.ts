/** The codes of JSON-RPC 2.0 and, from −32000 on, those that Ethereum's clients know (EIP-1474). */
export const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** What geth answers to a transaction that it refuses, and to everything else that it cannot do. */
  refused: -32000,
  /** The store or the upstream cannot be reached now. */
  unavailable: -32002,
  /** More than a limit allows. */
  limit: -32005,
} as const;

/** An error of a JSON-RPC answer. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** Further facts; left out if `undefined`. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A transaction that is refused, in the words of geth, which wallets look for. */
export function refused(message: string): RpcError {
  return new RpcError(rpcCodes.refused, message);
}

/** A wrong parameter. */
export function wrongParams(message: string): RpcError {
  return new RpcError(rpcCodes.params, message);
}

/** In the words of geth. */
export function noMethod(method: string): RpcError {
  return new RpcError(rpcCodes.method, `the method ${method.slice(0, 64)} does not exist/is not available`);
}
