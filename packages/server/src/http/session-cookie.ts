/** Cookies of one name that a request may have. A page on another port of this host can add some. */
const maxCookies = 10;

/** Browsers do not keep the cookies of two ports apart, so the name has the port that the browser called. */
function cookieName(host: string): string {
  return `mempool-session${/:(\d{1,5})$/.exec(host)?.[1]?.replace(/^/, '-') ?? ''}`;
}

/** The sessions that a request names, in no form but ours. */
export function sessionIds(cookies: string | undefined, host: string): string[] {
  const name = cookieName(host);
  const pattern = new RegExp(`(?:^|; ?)${name}=([\\w-]{43})(?=;|$)`, 'g');
  return Array.from((cookies ?? '').matchAll(pattern), ([, id]) => id as string).slice(0, maxCookies);
}

/** How a cookie is set: `isSecure` keeps it from connections without TLS. */
interface CookieForm {
  readonly host: string;
  readonly isSecure: boolean;
}

/**
 * `Set-Cookie` for a session. It has no path, so the browser sends it for the folder of the login page alone, also behind
 * a proxy that serves this server below a path.
 */
export function sessionCookie(id: string, maxAgeMs: number, { host, isSecure }: CookieForm): string {
  const secure = isSecure ? '; Secure' : '';
  return `${cookieName(host)}=${id}; Max-Age=${Math.floor(maxAgeMs / 1000)}; HttpOnly; SameSite=Strict${secure}`;
}
