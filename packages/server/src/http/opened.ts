import type { z } from '@hono/zod-openapi';
import type { Caller } from './access.ts';
import type { Endpoint } from './endpoint.ts';
import type { Problem } from './problem.ts';

/** A field of the answer of `/api/v1/pool`. */
export interface PoolField {
  readonly name: string;
  readonly schema: z.ZodType;
  /** Returns the value that this caller may see. */
  readonly value: (caller: Caller | null) => unknown;
}

/** An open extension. Each part is optional. */
export interface Opened {
  /** Paths that it adds to the HTTP API. */
  readonly endpoints?: readonly Endpoint[] | undefined;
  /** A field that it adds to the answer of `/api/v1/pool`. */
  readonly poolField?: PoolField | undefined;
  /** The URL of its own port, such as `http://127.0.0.1:3000`. */
  readonly url?: string | undefined;
  /** Returns the reason why it cannot work now; `null` if it can. `/readyz` waits two seconds for it. */
  readonly notReady?: (() => Promise<string | null>) | undefined;
  /** Returns the answer to an error of its own in one of its endpoints; `null` for any other error. */
  readonly problemOf?: ((error: unknown) => Problem | null) | undefined;
  /**
   * Accepts no more connections on its port. Ends the others when `drained` has resolved and their answers are sent, or after
   * `drainMs`.
   */
  readonly stop?: ((drained: Promise<void>, drainMs: number) => Promise<void>) | undefined;
  /** Closes everything that it has opened. No request is in flight then. */
  readonly close?: (() => Promise<void>) | undefined;
}
