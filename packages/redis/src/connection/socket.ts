import type { Redis } from 'ioredis';

/**
 * Destroys every socket of the client that reports an error. Node does not destroy a socket after a TLS error. The client listens for
 * the first error only, so a second one would end the process.
 */
export function destroyOnError(client: Redis): void {
  let guarded: object | null = null;
  const guard = (): void => {
    const { stream } = client;
    if (!stream || stream === guarded) return;
    guarded = stream;
    stream.on('error', () => stream.destroy());
  };
  // The client has the socket after this event, and before anything is read from it. A rejected certificate is an error before the next
  // event, and the server's alert about it a second one.
  const guardSoon = (): void => void setImmediate(guard);
  client.on('connecting', guardSoon).on('connect', guard);
  guard();
  guardSoon();
}

/** Drops a connection that is not ready in time, because the client waits for answers to its own commands, such as AUTH, for ever. */
export function limitHandshake(client: Redis, timeoutMs: number): void {
  client.on('connect', () => {
    const timer = setTimeout(() => dropConnection(client), timeoutMs);
    const stop = (): void => {
      clearTimeout(timer);
      client.off('ready', stop).off('close', stop);
    };
    client.on('ready', stop).on('close', stop);
  });
}

/** Drops the connection, and the client opens a new one. It does not use `disconnect`, which leaks a listener each time. */
export function dropConnection(client: Redis): void {
  client.stream?.destroy();
}

/** Fatal alerts that will come again: the server does not accept the certificate or the TLS version. */
const alerts =
  /^ERR_SSL_\S+_ALERT_(HANDSHAKE_FAILURE|NO_CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED|PROTOCOL_VERSION|INSUFFICIENT_SECURITY)$/;

/** Reasons not to accept the server's certificate, other than a damaged message. */
const verdicts =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_(HAS_EXPIRED|NOT_YET_VALID|REVOKED|UNTRUSTED|REJECTED)|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/** True for a TLS error by which server and client do not accept each other. A retry is useless, and no command was sent. */
export function isTlsRefusal(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return alerts.test(error.code) || verdicts.test(error.code);
}
