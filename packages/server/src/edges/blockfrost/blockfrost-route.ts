import type { Scope } from '../../config/server-config.ts';
import type { HostEnvironment } from '../../http/host-environment.ts';

/** A request to one of Blockfrost's paths. */
export interface BlockfrostCall {
  readonly request: Request;
  readonly environment: HostEnvironment;
  /** The part of the path that is named in braces, if there is one. */
  readonly param: string;
  readonly query: URLSearchParams;
}

/** One method of one path. */
export interface BlockfrostRoute {
  readonly method: 'GET' | 'POST';
  /** Below `/` and below `/api/v0`, such as `/mempool/{hash}`. */
  readonly path: string;
  /** What a token must have; `null`: the path is open to all. */
  readonly scope: Scope | null;
  answer(call: BlockfrostCall): Promise<Response>;
}
