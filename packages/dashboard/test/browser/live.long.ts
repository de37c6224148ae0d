import { createHash } from 'node:crypto';
import { loadServerConfig, type RunningServer, startServer } from 'mempool-server';
import { freePort, startProxy } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openPage } from './browser.ts';
import { shownOn } from './shown-numbers.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const payload = new Uint8Array([1]);
/** A connection that is refused or ends is an error in the console. */
const expected = /net::ERR_|Failed to load resource/;

async function serve(file: string, port: number): Promise<RunningServer> {
  const server = await startServer(
    await loadServerConfig({ mempool: { backend: 'sqlite', path: file } }, { server: { port } }),
  );
  onTestFinished(() => server.close());
  return server;
}

const stateOf = (page: Page) => page.locator('.status').getAttribute('data-state');
const pendingOn = async (page: Page) => (await shownOn(page)).numbers['summary.stages.Pending'];
const receive = ({ pool }: RunningServer, name: string) =>
  pool.receive([{ hash: hashOf(name), payload, payloadType: 0 }]);

test('the page outlives a restart of the server: it says since when it has no data, and goes on', async () => {
  const [file, port] = [`${scratchFolder()}/pool.sqlite`, await freePort()];
  const first = await serve(file, port);
  const { page } = await openPage({ expected });
  await page.goto(first.url);
  await receive(first, 'before');
  await expect.poll(() => pendingOn(page)).toBe('1');
  await first.close();
  const stoppedAt = Date.now();
  await expect.poll(() => stateOf(page)).toBe('no-data');
  const said = await page.locator('.faults').textContent();
  expect(said).toMatch(/since \d\d:\d\d:\d\d/);
  expect(Math.abs(clockOf(said ?? '') - stoppedAt)).toBeLessThan(7_000);
  const second = await serve(file, port);
  await receive(second, 'after');
  await expect.poll(() => stateOf(page)).toBe('live');
  await expect.poll(() => pendingOn(page)).toBe('2');
  await receive(second, 'live again');
  await expect.poll(() => pendingOn(page)).toBe('3');
  expect(await page.locator('.fault').count()).toBe(0);
});

/** The time of day that a text names, as one of today. */
function clockOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = (/\d\d:\d\d:\d\d/.exec(text)?.[0] ?? '').split(':').map(Number);
  return new Date().setHours(hours, minutes, seconds, 0);
}

test('over a connection that is cut, hangs or is refused, no number stays old unsaid', async () => {
  const server = await serve(`${scratchFolder()}/pool.sqlite`, await freePort());
  await using proxy = await startProxy(server.url);
  const { page } = await openPage({ expected });
  await page.goto(proxy.url.replace('redis:', 'http:'));
  await receive(server, 'first');
  await expect.poll(() => pendingOn(page)).toBe('1');
  // Nothing comes any more, and no end of the connection either.
  proxy.freeze();
  await receive(server, 'second');
  await expect.poll(() => stateOf(page), { timeout: 40_000 }).toBe('no-data');
  expect(await pendingOn(page)).toBe('1');
  proxy.thaw();
  await expect.poll(() => pendingOn(page)).toBe('2');
  await expect.poll(() => stateOf(page), { timeout: 30_000 }).toBe('live');
  proxy.down();
  await expect.poll(() => stateOf(page)).toBe('no-data');
  proxy.thaw();
  await receive(server, 'third');
  await expect.poll(() => pendingOn(page)).toBe('3');
  await expect.poll(() => stateOf(page), { timeout: 30_000 }).toBe('live');
});
