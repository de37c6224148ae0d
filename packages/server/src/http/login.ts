import type { Caller } from './access.ts';
import { networkOf } from './client-network.ts';
import { type Call, type Endpoint, endpoint } from './endpoint.ts';
import type { Gate } from './gate.ts';
import { addressOf, type HostEnvironment, headerOf } from './host-environment.ts';
import { loginPage, loginStyle } from './login-page.ts';
import { isOwn } from './origin-check.ts';
import { PageFile } from './page-file.ts';
import { Problem } from './problem.ts';
import { RateLimiter } from './rate-limiter.ts';
import { sessionCookie, sessionIds } from './session-cookie.ts';
import { Sessions, sessionMs } from './sessions.ts';
import { dashboardHeaders, hidden, sent } from './static-files.ts';

/** Tries of one address, or IPv6 /64: so many at once, and then one each two seconds. */
const tries = { perSecond: 0.5, atOnce: 10 };

/** Trades a token for a cookie, with which a browser may read: its `EventSource` cannot send a token. */
export class Login {
  readonly #gate: Gate;
  readonly #sessions = new Sessions();
  readonly #rate = new RateLimiter(tries.perSecond, { atOnce: tries.atOnce });

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Finds out who sent a request, by its token or else its cookie, and counts it against the rate. @throws `Problem` 429 */
  identify(request: Request, environment: HostEnvironment): Caller | null {
    const authorization = headerOf(request, environment, 'authorization');
    const caller = authorization === undefined ? this.#byCookie(request, environment) : this.#gate.known(authorization);
    return this.#gate.admit(caller, environment);
  }

  /**
   * The sender of a request, by its cookie. A cookie is sent by the browser, whoever made the request: so it is for
   * requests that change nothing, and only for those of the server's own pages.
   */
  #byCookie(request: Request, environment: HostEnvironment): Caller | null {
    const cookies = headerOf(request, environment, 'cookie');
    if (cookies === undefined || !isReading(request) || !isFromOwnPage(request, environment)) return null;
    for (const id of sessionIds(cookies, hostOf(request, environment))) {
      const caller = this.#sessions.find(id);
      if (caller !== null) return caller;
    }
    return null;
  }

  endpoints(): Endpoint[] {
    const style = new PageFile('login.css', new TextEncoder().encode(loginStyle));
    return [
      hidden('/login', ({ caller }) => page(200, { name: caller?.name ?? null, fault: null })),
      hidden('/login.css', (call) => sent(style, call)),
      posted('/login', (form, call) => this.#begin(form, call)),
      posted('/logout', (_form, call) => this.#end(call)),
    ];
  }

  #begin(form: URLSearchParams, call: Call): Response {
    assertOwnPage(call);
    const address = addressOf(call.environment);
    const seconds = this.#rate.take(networkOf(address));
    if (seconds > 0) {
      const fault = `Too many tries. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`;
      return page(429, { name: null, fault }, { 'retry-after': String(seconds) });
    }
    const caller = this.#gate.known(`Bearer ${form.get('token')?.trim()}`);
    this.#gate.log('info', caller === null ? 'login refused' : 'login', { token: caller?.name ?? null, address });
    if (caller === null) return page(401, { name: null, fault: 'This token is not valid.' });
    if (!caller.scopes.has('read')) return page(403, { name: null, fault: 'This token lacks the scope read.' });
    this.#endSessions(call);
    return redirect('./', sessionCookie(this.#sessions.begin(caller), sessionMs, cookieForm(call)));
  }

  #end(call: Call): Response {
    assertOwnPage(call);
    this.#endSessions(call);
    const gone = sessionCookie('', 0, cookieForm(call));
    return redirect('login', gone);
  }

  /** A session of before the login is none of after it. */
  #endSessions({ request, environment }: Call): void {
    const cookies = headerOf(request, environment, 'cookie');
    for (const id of sessionIds(cookies, hostOf(request, environment))) this.#sessions.end(id);
  }
}

function redirect(location: string, cookie: string): Response {
  return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie, 'cache-control': 'no-store' } });
}

function posted(path: string, answerForm: NonNullable<Endpoint['answerForm']>): Endpoint {
  return endpoint({ ...hidden(path, unasked), method: 'post', answerForm });
}

function unasked(): never {
  throw new Problem(415, 'ERR_SERVER_CONTENT_TYPE', { detail: 'Send application/x-www-form-urlencoded.' });
}

function page(
  status: number,
  view: Parameters<typeof loginPage>[0],
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { ...dashboardHeaders, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return new Response(loginPage(view), { status, headers: { ...headers, ...more } });
}

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hostOf(request: Request, environment: HostEnvironment): string {
  return headerOf(request, environment, 'host') ?? URL.parse(request.url)?.host ?? '';
}

/**
 * A page on another port of this host is of the same site, so the browser sends it the cookie too. Its requests say so by
 * `Sec-Fetch-Site` where the browser trusts the connection, and by `Origin` where they could read the answer.
 */
function isFromOwnPage(request: Request, environment: HostEnvironment): boolean {
  const site = headerOf(request, environment, 'sec-fetch-site') ?? 'none';
  const origin = headerOf(request, environment, 'origin');
  const isOwnOrigin = origin === undefined || isOwn(origin, hostOf(request, environment));
  return isOwnOrigin && (site === 'none' || site === 'same-origin');
}

/** Every browser tells the origin of a form that it posts. @throws `Problem` 403 */
function assertOwnPage({ request, environment }: Call): void {
  const origin = headerOf(request, environment, 'origin');
  if (origin !== undefined && isOwn(origin, hostOf(request, environment))) return;
  throw new Problem(403, 'ERR_SERVER_ORIGIN', { detail: 'Only the page of this server may send this form.' });
}

/** The browser tells by which scheme it came, so no proxy need be asked. */
function cookieForm({ request, environment }: Call): { readonly host: string; readonly isSecure: boolean } {
  const isSecure = headerOf(request, environment, 'origin')?.startsWith('https:') ?? false;
  return { host: hostOf(request, environment), isSecure };
}
