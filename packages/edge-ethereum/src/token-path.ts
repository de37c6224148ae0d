/**
 * Returns the `Authorization` of a request: its header, else the token in the path of its URL. Wallets that cannot send the
 * header use the path, as with public providers. The path is in no log.
 */
export function authorizationOf(header: string | undefined, url: string): string | undefined {
  if (header !== undefined) return header;
  const [, token] = /^\/([^/?#]+)\/?(?:[?#]|$)/.exec(url) ?? [];
  return token === undefined ? undefined : `Bearer ${decoded(token)}`;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
