import type { Caller, HostEnvironment, Scope } from 'mempool-server/edge';

/** A request to one of Blockfrost's paths. */
export interface BlockfrostCall {
  readonly request: Request;
  readonly environment: HostEnvironment;
  /** The sender; `null` without a valid token. */
  readonly caller: Caller | null;
  /** The part of the path that is named in braces, if there is one. */
  readonly param: string;
  readonly query: URLSearchParams;
}

/** One method of one path. */
export interface BlockfrostRoute {
  readonly method: 'GET' | 'POST';
  /** The path, such as `/mempool/{hash}`. It is served below `/` and below `/api/v0`. */
  readonly path: string;
  /** The scope that a token must have; `null` if no token is needed. */
  readonly scope: Scope | null;
  answer(call: BlockfrostCall): Promise<Response>;
}
