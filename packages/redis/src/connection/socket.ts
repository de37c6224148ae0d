import type { Redis } from 'ioredis';

/**
 * Destroys each socket of the client that reports an error. Node reports one of TLS without doing so, and the client listens for the
 * first alone: the next would end the process. The listener stays on the socket as long as that lasts. Returns what ends it for the
 * sockets to come.
 */
export function destroyOnError(client: Redis): () => void {
  let guarded: object | null = null;
  const guard = (): void => {
    const { stream } = client;
    if (!stream || stream === guarded) return;
    guarded = stream;
    stream.on('error', () => stream.destroy());
  };
  // The client has the socket after this event, and before anything is read from it. A certificate that is not accepted here is an
  // error before the next event, and what the server says of that another one.
  const guardSoon = (): void => void setImmediate(guard);
  client.on('connecting', guardSoon).on('connect', guard);
  guard();
  guardSoon();
  return () => void client.off('connecting', guardSoon).off('connect', guard);
}

/** Gives a connection up that is not ready in time: what the client sends by itself, such as a password, waits without end. */
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

/** Gives the connection up; the client makes another one. As often as one likes: `disconnect` leaves a listener each time. */
export function dropConnection(client: Redis): void {
  client.stream?.destroy();
}

/** Fatal alerts by which a server says what it will say again: it is not content with the certificate, or with the kind of TLS. */
const alerts =
  /^ERR_SSL_\S+_ALERT_(HANDSHAKE_FAILURE|NO_CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED|PROTOCOL_VERSION|INSUFFICIENT_SECURITY)$/;

/** Why a certificate of the server's is not accepted here, where that is not for a damaged message. */
const verdicts =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_(HAS_EXPIRED|NOT_YET_VALID|REVOKED|UNTRUSTED|REJECTED)|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/** True where server and client do not accept each other: to try again is useless, and nothing that was sent was carried out. */
export function isTlsRefusal(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return alerts.test(error.code) || verdicts.test(error.code);
}
