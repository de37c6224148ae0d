import { type RunningServer, startDemo } from 'mempool-server';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { barriers } from './axe.ts';
import { openPage } from './browser.ts';

/** A demo that has had its first blocks and stands still, so that nothing changes while the page is examined. */
async function stillDemo(): Promise<RunningServer> {
  const server = await startDemo({ stepMs: 3_600_000, server: { port: 0 } });
  onTestFinished(() => server.close());
  await expect.poll(async () => (await server.pool.usage()).logged, { timeout: 30_000 }).toBeGreaterThan(50);
  return server;
}

async function goTo(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect.poll(() => page.locator('.status').getAttribute('data-state')).toBe('live');
  await page.locator('.feed tbody tr').first().waitFor();
}

/** A transaction of the log. */
async function endedOn({ url }: RunningServer): Promise<string> {
  const page = (await (await fetch(`${url}/api/v1/transactions?stage=final&limit=1`)).json()) as {
    readonly items: readonly { readonly hash: string }[];
  };
  return page.items[0]?.hash ?? '';
}

test.each(['light', 'dark'] as const)(
  'the page and its drawer have no barrier in the %s scheme',
  async (colorScheme) => {
    const server = await stillDemo();
    const { page } = await openPage({ colorScheme });
    await goTo(page, server.url);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [red = 0] = ground.match(/\d+/g)?.map(Number) ?? [];
    expect(red < 128).toBe(colorScheme === 'dark');
    expect(await barriers(page)).toEqual([]);
    for (const summary of await page.locator('details > summary').all()) await summary.click();
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${server.url}/#tx=${await endedOn(server)}`);
    await page.locator('dialog[open] .steps li').first().waitFor();
    expect(await barriers(page)).toEqual([]);
  },
);

test.each([360, 768, 2_560])('at %i px nothing is beside the page', async (width) => {
  const server = await stillDemo();
  const { page } = await openPage({ viewport: { width, height: 740 }, reducedMotion: 'reduce' });
  await goTo(page, server.url);
  const widest = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await widest()).toBeLessThanOrEqual(width);
  for (const summary of await page.locator('details > summary').all()) await summary.click();
  expect(await widest()).toBeLessThanOrEqual(width);
  await page.goto(`${server.url}/#tx=${await endedOn(server)}`);
  await page.locator('dialog[open] .steps li').first().waitFor();
  expect(await widest()).toBeLessThanOrEqual(width);
  const drawer = await page.locator('dialog[open]').boundingBox();
  expect(drawer?.x).toBeGreaterThanOrEqual(0);
  expect((drawer?.x ?? 0) + (drawer?.width ?? 0)).toBeLessThanOrEqual(width);
  expect(await page.locator('dialog[open]').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
});

const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.id || activeElement?.textContent?.trim().slice(0, 40) || activeElement?.tagName;
  });

/** Presses Tab until the focus is on an element with this id or text. Each stop on the way must be seen. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
      return outlineStyle === 'none' ? '0px' : outlineWidth;
    });
    expect([await focused(page), outline]).not.toEqual([await focused(page), '0px']);
    if ((await focused(page)) === wanted) return;
  }
  throw new Error(`no way to ${wanted}`);
}

test('everything can be done with the keyboard', async () => {
  const server = await stillDemo();
  const { page } = await openPage();
  await goTo(page, server.url);
  await page.keyboard.press('Tab');
  expect(await focused(page)).toContain('Skip');
  await tabTo(page, 'hash');
  const hash = await endedOn(server);
  await page.keyboard.type('not a hash');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('#hash-fault').textContent()).toContain('hex');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(hash);
  await page.keyboard.press('Enter');
  const drawer = page.locator('dialog[open]');
  await drawer.waitFor();
  expect(await drawer.textContent()).toContain(hash);
  expect(await page.evaluate(() => document.activeElement?.closest('dialog') !== null)).toBe(true);
  // The rest of the page cannot be reached while the drawer is open.
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('dialog, body > :not(dialog)')?.id)).not.toBe(
      'main',
    );
  }
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  expect(await focused(page)).toBe('hash');
  // A dialog tells that it is closed in a task of its own, and the address follows.
  await expect.poll(() => new URL(page.url()).hash).toBe('');
  await tabTo(page, 'Pause');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('button', { name: 'Go on' }).count()).toBe(1);
  await page.keyboard.press('/');
  expect(await focused(page)).toBe('hash');
});

test('whoever wants less motion gets none', async () => {
  const server = await stillDemo();
  const { page } = await openPage({ reducedMotion: 'reduce' });
  await goTo(page, server.url);
  const moving = () => page.evaluate(() => document.getAnimations().length);
  expect(await moving()).toBe(0);
  await page.locator('.feed a').first().click();
  await page.locator('dialog[open]').waitFor();
  expect(await moving()).toBe(0);
});
