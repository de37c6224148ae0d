import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from 'mempool-server';
import { freePort } from 'mempool-testkit';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { served, tokenOf } from '../../../server/test/http/served.ts';
import { barriers } from './axe.ts';
import { openPage } from './browser.ts';

const secret = 'a-secret-of-the-tests';
const reader = tokenOf('wall', ['read'], { text: secret });
const serve = (port: number, tokens = [reader]): Promise<RunningServer> =>
  served({ backend: 'ephemeral' }, { port, tokens });
/** What the browser says of an answer that refuses, and of a server that is away. */
const expected = /status of (?:401|403|429)|net::ERR_/;

async function logIn(page: Page, token = secret): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const isAt = (page: Page, path: string) => expect.poll(() => new URL(page.url()).pathname).toBe(path);
const isLive = (page: Page) => expect.poll(() => page.locator('.status').getAttribute('data-state')).toBe('live');

test('a browser without a login is led to it, logs in by keyboard alone, and out again', async () => {
  const server = await serve(await freePort());
  const { page, context } = await openPage({ expected });
  await page.goto(server.url);
  await isAt(page, '/login');
  // The field has the focus by itself, as soon as the page is there.
  await expect.poll(() => page.getByLabel('Token').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type('not the token');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('not valid');
  await page.getByLabel('Token').focus();
  await page.keyboard.type(secret);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await isAt(page, '/');
  await isLive(page);
  expect(page.url()).not.toContain(secret);
  const [cookie, ...others] = await context.cookies();
  expect([cookie, others]).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/' }, []]);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.getByRole('button', { name: 'Log out' }).click();
  await isAt(page, '/login');
  expect(await context.cookies()).toEqual([]);
  expect((await page.request.get(`${server.url}/api/v1/summary`)).status()).toBe(401);
});

test('after a logout no step back shows a number, and another window is led to the login', async () => {
  const server = await serve(await freePort());
  const { page, context } = await openPage({ expected });
  const seen: string[] = [];
  await page.exposeFunction('seeNumbers', (text: string) => seen.push(text));
  await page.addInitScript(() => {
    const { seeNumbers } = window as unknown as { seeNumbers(text: string): void };
    // Each text is told once, and again when the page comes back as it was.
    const told = new Set<string>();
    addEventListener('pageshow', () => told.clear());
    setInterval(() => {
      for (const each of document.querySelectorAll<HTMLElement>('dd .value')) {
        const text = each.textContent ?? '';
        if (told.has(text) || !each.checkVisibility()) continue;
        told.add(text);
        seeNumbers(text);
      }
    }, 10);
  });
  await page.goto(`${server.url}/login`);
  await logIn(page);
  await isLive(page);
  const other = await context.newPage();
  await other.goto(server.url);
  await isLive(other);
  await page.getByRole('button', { name: 'Log out' }).click();
  await isAt(page, '/login');
  await isAt(other, '/login');
  expect(seen.splice(0).some((text) => /\d/.test(text))).toBe(true);
  const back = page.waitForEvent('framenavigated', (frame) => new URL(frame.url()).pathname === '/');
  await page.evaluate(() => history.back());
  await back;
  await isAt(page, '/login');
  expect(seen.filter((text) => /\d/.test(text))).toEqual([]);
});

test('a token that is removed, or a restart, ends the login', async () => {
  const port = await freePort();
  const first = await serve(port);
  const { page } = await openPage({ expected });
  await page.goto(`${first.url}/login`);
  await logIn(page);
  await isLive(page);
  await first.close();
  await serve(port, [{ ...reader, name: 'other', hash: `sha256:${'0'.repeat(64)}` }]);
  await expect.poll(() => new URL(page.url()).pathname, { timeout: 30_000 }).toBe('/login');
  await logIn(page);
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('not valid');
});

test.each(['light', 'dark'] as const)(
  'the login page has no barrier in the %s scheme, nor at 360 px',
  async (scheme) => {
    const server = await serve(await freePort());
    const viewport = { width: 360, height: 640 };
    const { page } = await openPage({ colorScheme: scheme, viewport, expected });
    await page.goto(`${server.url}/login`);
    expect(await barriers(page)).toEqual([]);
    await logIn(page, 'wrong');
    await page.getByRole('alert').waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
  },
);

test('a page on another port of the host can neither read with the cookie nor log out', async () => {
  const server = await serve(await freePort());
  const form = `<form method="post" action="${server.url}/logout"><button>Out</button></form>`;
  const stranger = await listening(`<!doctype html>${form}<a href="${server.url}/api/v1/summary">Numbers</a>`);
  const { page } = await openPage({ expected: /status of|net::ERR_|CORS|policy|ORB/ });
  await page.goto(`${server.url}/login`);
  await logIn(page);
  await isLive(page);
  await page.goto(stranger);
  const read = await page.evaluate(async (url) => {
    const ask = (init: RequestInit) => fetch(url, init).then((answer) => answer.text(), String);
    return [await ask({ credentials: 'include' }), await ask({ credentials: 'include', mode: 'no-cors' })];
  }, `${server.url}/api/v1/summary`);
  expect(read.join()).not.toContain('cursor');
  await page.getByRole('link').click();
  await expect.poll(() => page.locator('body').textContent()).toContain('ERR_SERVER_TOKEN');
  await page.goto(stranger);
  await page.getByRole('button').click();
  await expect.poll(() => page.locator('body').textContent()).toContain('ERR_SERVER_ORIGIN');
  await page.goto(server.url);
  await isLive(page);
});

test('behind a proxy that serves the server below a path, the login is for that path alone', async () => {
  const server = await serve(await freePort());
  const proxy = await prefixed(server, '/pools/first');
  const { page, context } = await openPage({ expected });
  await page.goto(`${proxy}/pools/first/`);
  await isAt(page, '/pools/first/login');
  await logIn(page);
  await isAt(page, '/pools/first/');
  await isLive(page);
  expect(await context.cookies()).toMatchObject([{ path: '/pools/first' }]);
  await page.getByRole('button', { name: 'Log out' }).click();
  await isAt(page, '/pools/first/login');
  expect(await context.cookies()).toEqual([]);
});

/** Passes requests below a path on to a server, as a reverse proxy does. */
async function prefixed(server: RunningServer, prefix: string): Promise<string> {
  const proxy = createServer((request, answer) => {
    if (!request.url?.startsWith(`${prefix}/`)) return void answer.writeHead(404).end();
    const { method = 'GET', headers } = request;
    const path = request.url.slice(prefix.length);
    const passed = send({ host: '127.0.0.1', port: server.port, path, method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    answer.on('close', () => passed.destroy());
    passed.on('error', () => answer.destroy());
    request.pipe(passed);
  });
  onTestFinished(() => void proxy.close());
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** A site on a port of its own. */
async function listening(html: string): Promise<string> {
  const site = createServer((_, answer) => void answer.setHeader('content-type', 'text/html').end(html));
  onTestFinished(() => void site.close());
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/favicon.ico`;
}
