import { Code, ConnectError, type ContextKey, createContextKey } from '@connectrpc/connect';
import type { Problem } from '../../http/problem.ts';

/** What is kept of one call until its answer has left. */
export interface RpcCall {
  /** What the HTTP API would answer; for the metrics. */
  status: number;
  /** Ends the call at once: its client does not take what it is sent. */
  readonly cut: () => void;
}

/** Gives the methods of a service their call. */
export const rpcCall: ContextKey<RpcCall> = createContextKey<RpcCall>({ status: 200, cut: () => undefined });

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

/** A problem in the words of gRPC. The metadata `mempool-code` has the problem's code. */
export function rpcError({ status, code, headers, message }: Problem): ConnectError {
  const retryAfter = headers['retry-after'];
  const metadata = { 'mempool-code': code, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) };
  return new ConnectError(message, codes[status] ?? Code.Internal, metadata);
}
