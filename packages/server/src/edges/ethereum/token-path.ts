/**
 * The `Authorization` of a request. A wallet that cannot send one has the token as the path of its URL, as with public
 * providers; the header goes first. The path is in no log.
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
