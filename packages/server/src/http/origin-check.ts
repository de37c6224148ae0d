import { isIP } from 'node:net';
import { isLoopback, type ServerOptions } from '../config/server-config.ts';
import { type HostEnvironment, headerOf } from './host-environment.ts';
import { Problem } from './problem.ts';

/**
 * Checks `Host` and `Origin`. A page of another site could otherwise reach a server on loopback: by a name of its own
 * that it lets point to 127.0.0.1 (DNS rebinding), or by a request across origins.
 */
export class OriginCheck {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #isLocal: boolean;
  /** `Host` values that were accepted: clients send few different ones. */
  readonly #accepted = new Set<string>();

  constructor({ host, allowedHosts, corsOrigins }: Pick<ServerOptions, 'host' | 'allowedHosts' | 'corsOrigins'>) {
    this.#hosts = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
    this.#origins = new Set(corsOrigins);
    this.#isLocal = isLoopback(host);
  }

  /**
   * Returns the origin of a page of `corsOrigins`, which may read the answer; else `null`.
   * @throws `Problem` 421 or 403
   */
  check(request: Request | null, environment: HostEnvironment): string | null {
    const host = hostOf(request, environment);
    if (!this.#accepts(host))
      throw new Problem(421, 'ERR_SERVER_HOST', {
        detail: 'Host names no host of this server. Add it to allowedHosts.',
      });
    const origin = headerOf(request, environment, 'origin');
    if (origin === undefined || isOwn(origin, host)) return null;
    if (this.#origins.has(origin)) return origin;
    const detail = 'Pages of this origin may not call this server. Add it to corsOrigins.';
    throw new Problem(403, 'ERR_SERVER_ORIGIN', { detail });
  }

  #accepts(host: string): boolean {
    if (this.#accepted.has(host)) return true;
    const isAccepted = this.#names(host.toLowerCase());
    if (isAccepted && this.#accepted.size < maxRemembered) this.#accepted.add(host);
    return isAccepted;
  }

  /** An address cannot be rebound, so any address will do where the server is open to other machines. */
  #names(host: string): boolean {
    const name = host.replace(/:\d{1,5}$/, '');
    if (this.#hosts.has(host) || this.#hosts.has(name) || isLoopback(name)) return true;
    return !this.#isLocal && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  }
}

const maxRemembered = 100;

/** HTTP/2 has a pseudo-header in place of `Host`. */
function hostOf(request: Request | null, environment: HostEnvironment): string {
  const given = headerOf(request, environment, 'host') ?? environment.incoming?.headers[':authority'];
  return String(given ?? URL.parse(request?.url ?? '')?.host ?? '');
}

/** True for the server's own pages. */
export function isOwn(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
