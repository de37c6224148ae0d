/** True for the HTTP URL of a node. */
export function isNodeUrl(given: string): boolean {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
    return true;
  } catch {
    return false;
  }
}
