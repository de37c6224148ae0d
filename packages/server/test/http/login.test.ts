import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RunningServer, Scope, ServerOptions } from 'mempool-server';
import { freePort } from 'mempool-testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Sessions, sessionMs } from '../../src/http/sessions.ts';
import { served, tokenOf } from './served.ts';

const tokenWith = (name: string, scopes: readonly Scope[]) => tokenOf(name, scopes, { text: `secret-of-${name}` });
const tokens = [
  tokenWith('reader', ['read']),
  tokenWith('all', ['read', 'submit', 'admin']),
  tokenWith('writer', ['submit']),
];

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A request as a browser sends it: `fetch` sets some of these headers by itself. */
async function ask(url: string, headers: Headers = {}, form?: string): Promise<Answer> {
  const request = send(url, { headers, method: form === undefined ? 'GET' : 'POST', agent: false });
  request.end(form);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' };

function post({ url }: RunningServer, path: string, form: string, headers: Headers = {}): Promise<Answer> {
  return ask(url + path, { ...formType, origin: url, ...headers }, form);
}

/** Logs in and returns the cookie as a browser sends it back. */
async function cookieOf(server: RunningServer, name: string, headers: Headers = {}): Promise<string> {
  const { headers: answer } = await post(server, '/login', `token=secret-of-${name}`, headers);
  return answer['set-cookie']?.[0]?.split(';')[0] ?? '';
}

const withTokens = (options: Partial<ServerOptions> = {}, log?: (...entry: unknown[]) => void) =>
  served({ backend: 'ephemeral' }, { tokens, ...options }, { log });
const tip = '/api/v1/tip';

test('a token is traded for a cookie, which reads what the token may read', async () => {
  const server = await withTokens();
  const { status, headers } = await post(server, '/login', 'token=secret-of-reader');
  expect([status, headers.location]).toEqual([303, './']);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  expect(cookie).toMatch(
    new RegExp(`^mempool-session-${server.port}=[\\w-]{43}; Max-Age=604800; HttpOnly; SameSite=Strict$`),
  );
  const own = { cookie: cookie.split(';')[0] ?? '' };
  expect((await ask(server.url + tip)).status).toBe(401);
  expect((await ask(server.url + tip, own)).status).toBe(200);
  const session = await ask(`${server.url}/api/v1/session`, own);
  expect(JSON.parse(session.body)).toEqual({ token: 'reader', scopes: ['read'], login: true });
  expect((await ask(`${server.url}/login`, own)).body).toContain('<b>reader</b>');
});

test('a cookie writes nothing, whatever its token may do', async () => {
  const server = await withTokens();
  const cookie = await cookieOf(server, 'all');
  const flush = await ask(`${server.url}/api/v1/flush`, { cookie, 'content-type': 'application/json' }, '{}');
  expect(flush.status).toBe(401);
  const bearer = { cookie, authorization: 'Bearer secret-of-all', 'content-type': 'application/json' };
  expect((await ask(`${server.url}/api/v1/flush`, bearer, '{}')).status).toBe(200);
});

test('a cookie is taken only from pages of the server itself', async () => {
  const server = await withTokens({ corsOrigins: ['https://wallet.example'] });
  const cookie = await cookieOf(server, 'reader');
  const statusOf = async (headers: Headers) => (await ask(server.url + tip, { cookie, ...headers })).status;
  expect(await statusOf({ 'sec-fetch-site': 'same-origin', origin: server.url })).toBe(200);
  expect(await statusOf({ 'sec-fetch-site': 'none' })).toBe(200);
  expect(await statusOf({ 'sec-fetch-site': 'same-site' })).toBe(401);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(401);
  expect(await statusOf({ origin: 'https://wallet.example' })).toBe(401);
  expect(await statusOf({ authorization: 'Bearer secret-of-nobody' })).toBe(401);
  for (const origin of [undefined, 'null', 'https://wallet.example', 'https://evil.example']) {
    const headers = { ...formType, ...(origin === undefined ? {} : { origin }) };
    for (const path of ['/login', '/logout'])
      expect([origin, (await ask(server.url + path, headers, 'token=secret-of-reader')).status]).toEqual([origin, 403]);
  }
});

test('a login that fails says why, and leaves no cookie', async () => {
  const entries: unknown[] = [];
  const server = await withTokens({}, (...entry) => entries.push(entry));
  const tries: Readonly<Record<string, number>> = {
    'token=secret-of-nobody': 401,
    'token=': 401,
    '': 401,
    'token=secret-of-writer': 403,
    'token=%3Cscript%3E%22%E2%80%AE': 401,
    [`token=${'x'.repeat(5_000)}`]: 413,
  };
  for (const [form, status] of Object.entries(tries)) {
    const answer = await post(server, '/login', form);
    expect([form, answer.status, answer.headers['set-cookie']]).toEqual([form, status, undefined]);
    expect(answer.body).not.toContain('<script');
  }
  const json = await ask(`${server.url}/login`, { 'content-type': 'application/json', origin: server.url }, '{}');
  expect(json.status).toBe(415);
  expect(JSON.stringify(entries)).not.toContain('secret-of');
  expect(entries.length).toBe(5);
});

test('an address that tries many tokens has to wait', async () => {
  const server = await withTokens();
  const tried = Array.from({ length: 12 }, () => post(server, '/login', 'token=secret-of-nobody'));
  const answers = await Promise.all(tried);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/);
});

test('a logout ends the session and its live events', async () => {
  const server = await withTokens();
  const [cookie, other] = [await cookieOf(server, 'reader'), await cookieOf(server, 'reader')];
  const stream = fetch(`${server.url}/api/v1/events`, { headers: { cookie } });
  const { body } = await stream;
  const answer = await post(server, '/logout', '', { cookie });
  expect([answer.status, answer.headers.location]).toEqual([303, 'login']);
  expect(answer.headers['set-cookie']?.[0]).toContain('=; Max-Age=0;');
  expect(await new Response(body).text()).toContain('event: end');
  expect((await ask(server.url + tip, { cookie })).status).toBe(401);
  expect((await ask(server.url + tip, { cookie: other })).status).toBe(200);
});

test('a login makes a session of its own, whatever cookie came with it', async () => {
  const server = await withTokens();
  const before = await cookieOf(server, 'reader');
  const planted = `mempool-session-${server.port}=${'a'.repeat(43)}`;
  const after = await cookieOf(server, 'all', { cookie: `${planted}; ${before}` });
  expect([before, planted]).not.toContain(after);
  const statusOf = async (cookie: string) => (await ask(server.url + tip, { cookie })).status;
  expect([await statusOf(before), await statusOf(planted), await statusOf(after)]).toEqual([401, 401, 200]);
  // A page on another port of the host can plant cookies, but not take the place of the session.
  expect(await statusOf(`x=${'y'.repeat(8_000)}; ${planted}; ${after}`)).toBe(200);
  expect(await statusOf(`${'z'.repeat(20_000)}; ${after}`)).toBe(431);
  expect(await statusOf(`${after}x`)).toBe(401);
});

test('behind a proxy with TLS the cookie is for TLS alone', async () => {
  const server = await withTokens({ allowedHosts: ['pool.example'] });
  const proxied = { host: 'pool.example', origin: 'https://pool.example' };
  const { headers } = await post(server, '/login', 'token=secret-of-reader', proxied);
  expect(headers['set-cookie']?.[0]).toMatch(/^mempool-session=[\w-]{43}; .*; Secure$/);
});

test('a session ends with the process, so a token that is removed reads nothing any more', async () => {
  const port = await freePort();
  const before = await withTokens({ port });
  const cookie = await cookieOf(before, 'reader');
  await before.close();
  const after = await withTokens({ port, tokens: tokens.slice(1) });
  expect((await ask(after.url + tip, { cookie })).status).toBe(401);
});

test('one token has at most a hundred sessions; the oldest ends first, and each ends after a week', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sessions = new Sessions();
  const caller = (name: string) => ({ name, scopes: new Set<Scope>(['read']), owners: 'all' as const });
  const other = sessions.begin(caller('other'));
  const own = Array.from({ length: 101 }, () => sessions.begin(caller('own')));
  const isOpen = (id = '') => sessions.find(id) !== null;
  expect([isOpen(other), isOpen(own[0]), isOpen(own[1])]).toEqual([true, false, true]);
  const ended = sessions.find(own[1] ?? '')?.ended;
  vi.advanceTimersByTime(sessionMs - 1);
  expect([isOpen(own[1]), ended?.aborted]).toEqual([true, false]);
  vi.advanceTimersByTime(1);
  expect([isOpen(own[1]), ended?.aborted]).toEqual([false, true]);
});

test('without tokens, or without a dashboard, there is no login', async () => {
  const open = await served();
  const session = await ask(`${open.url}/api/v1/session`);
  expect(JSON.parse(session.body)).toMatchObject({ token: null, login: false });
  expect((await ask(`${open.url}/login`)).status).toBe(404);
  expect((await ask(`${(await withTokens({ dashboard: false })).url}/login`)).status).toBe(404);
});
