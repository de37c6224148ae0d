import { Code, ConnectError, type ContextKey, createContextKey } from '@connectrpc/connect';
import type { Problem } from 'mempool-server/edge';

/** The data of one call until its answer is sent. */
export interface RpcCall {
  /** The status that the HTTP API would answer, for the metrics. */
  status: number;
  /** Ends the call at once, for a client that does not read its answers. */
  readonly cut: () => void;
  /** Resolves when the answer has left, or the client has. */
  readonly closed: Promise<void>;
  /** Counts so many transactions beside the first against the rate. */
  readonly owe: (count: number) => void;
}

/** The key under which the methods of a service find their call. */
export const rpcCall: ContextKey<RpcCall> = createContextKey<RpcCall>({
  status: 200,
  cut: () => undefined,
  closed: Promise.resolve(),
  owe: () => undefined,
});

/** The gRPC code of each status of a problem, by the meanings that gRPC gives its codes. */
const codes: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  // The same call may succeed when the pool has changed.
  409: Code.FailedPrecondition,
  410: Code.DataLoss,
  413: Code.ResourceExhausted,
  421: Code.PermissionDenied,
  422: Code.InvalidArgument,
  429: Code.ResourceExhausted,
  499: Code.Canceled,
  501: Code.Unimplemented,
  503: Code.Unavailable,
  507: Code.ResourceExhausted,
};

/** Converts a problem to an error of gRPC. The metadata `mempool-code` has the problem's code. */
export function rpcError({ status, code, headers, message }: Problem): ConnectError {
  const retryAfter = headers['retry-after'];
  const metadata = { 'mempool-code': code, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) };
  return new ConnectError(message, codes[status] ?? Code.Internal, metadata);
}
