import { createHash, hash, timingSafeEqual } from 'node:crypto';
import { MempoolError } from 'mempool-core';
import { type Scope, scopes, type TokenOptions } from '../config/server-config.ts';
import { Problem } from './problem.ts';

/** Who sent a request. */
export interface Caller {
  /** The name of the token; `null` on a server without tokens. */
  readonly name: string | null;
  readonly scopes: ReadonlySet<Scope>;
  /** The owners whose wallets `ledger:transfer` is for. */
  readonly owners: ReadonlySet<string> | 'all';
  /** Aborts when the caller has logged out; only of a caller with a cookie. */
  readonly ended?: AbortSignal | undefined;
}

interface KnownToken {
  readonly digest: Buffer;
  readonly caller: Caller;
}

/** Everybody, on a server without tokens. */
const everybody: Caller = { name: null, scopes: new Set(scopes), owners: 'all' };

/** Finds out who sent a request, by its bearer token. */
export class Access {
  readonly #tokens: readonly KnownToken[];

  /** @throws `ERR_MEMPOOL_CONFIG` naming the token whose hash has another form */
  constructor(tokens: readonly TokenOptions[]) {
    this.#tokens = tokens.map((token) => ({
      digest: digestOf(token),
      caller: { name: token.name, scopes: new Set(token.scopes), owners: ownersOf(token) },
    }));
  }

  /** The sender, by the `Authorization` header; `null` without a valid token. */
  identify(authorization: string | undefined): Caller | null {
    if (this.#tokens.length === 0) return everybody;
    const [, token] = /^Bearer +([!-~]+) *$/i.exec(authorization ?? '') ?? [];
    return token === undefined ? null : this.#find(token);
  }

  /** Compares with all tokens, so that the time tells nothing about them. */
  #find(token: string): Caller | null {
    const digest = createHash('sha256').update(token).digest();
    let found: Caller | null = null;
    for (const each of this.#tokens) if (timingSafeEqual(each.digest, digest)) found = each.caller;
    return found;
  }
}

function ownersOf({ owners = [] }: TokenOptions): Caller['owners'] {
  return owners === 'all' ? 'all' : new Set(owners);
}

function digestOf({ name, hash }: TokenOptions): Buffer {
  const [, digits] = /^sha256:([0-9a-f]{64})$/.exec(hash) ?? [];
  if (digits !== undefined) return Buffer.from(digits, 'hex');
  const message = `the hash of the token ${name} must be sha256: and 64 hex digits`;
  throw new MempoolError('ERR_MEMPOOL_CONFIG', message, { field: 'tokens.hash' });
}

/** @throws `Problem` 401 without a valid token, 403 if it has none of the scopes; no scopes: open to all */
export function authorize(caller: Caller | null, needed: readonly Scope[]): void {
  if (needed.length === 0) return;
  if (caller === null) throw noToken();
  if (needed.some((scope) => caller.scopes.has(scope))) return;
  const detail = `The token ${caller.name} lacks the scope ${needed.join(' or ')}.`;
  throw new Problem(403, 'ERR_SERVER_SCOPE', { detail });
}

function noToken(): Problem {
  const detail = 'Send a valid token: Authorization: Bearer <token>.';
  return new Problem(401, 'ERR_SERVER_TOKEN', { detail, headers: { 'www-authenticate': 'Bearer' } });
}

const maxIdLength = 128;

/**
 * The operation id for an `Idempotency-Key`. Each token has ids of its own, so two clients that use the same key do not
 * meet.
 * @throws `Problem` 400
 */
export function operationIdOf(caller: Caller | null, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,128}$/.test(key)) {
    const detail = 'Idempotency-Key must be 1–128 printable ASCII characters.';
    throw new Problem(400, 'ERR_SERVER_REQUEST', { detail, members: { field: 'Idempotency-Key' } });
  }
  const prefix = `http:${caller?.name ?? ''}:`;
  const id = prefix + key;
  return id.length <= maxIdLength ? id : prefix.slice(0, maxIdLength - 64) + hash('sha256', id, 'hex');
}
