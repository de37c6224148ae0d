import type { RunningServer } from 'mempool-server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Cast, carry, cast, openEpoch, phaseReached, watched } from '../../../sequencer/test/board/scene.ts';
import { signed } from '../../../sequencer/test/validator.ts';
import { served } from '../../../server/test/http/served.ts';
import { barriers } from './axe.ts';
import { openPage } from './browser.ts';

/** A server that watches the epochs of the first validator. */
function watching({ protocol, place }: Cast): Promise<RunningServer> {
  const section = { protocol, market: 'market', folder: place.at, refreshMs: 50, level2GraceMs: 0 };
  return served(undefined, {}, {}, {}, { sequencer: section });
}

const textOf = (page: Page, field: string) => page.locator(`section.epochs [data-field="${field}"]`).textContent();
const stateOf = (page: Page, name: string) => page.locator('.phases li', { hasText: name }).getAttribute('class');

/** People can use the page, in light and dark, on a phone as well. */
async function isUsable(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await barriers(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await barriers(page)).toEqual([]);
}

test('the page follows an epoch: countdown, phases, submissions, who took part, and what was missing', async () => {
  const scene = await cast('sqlite');
  const { validators, clock } = scene;
  for (const each of validators) await each.start();
  const server = await watching(scene);
  const { page } = await openPage();
  await page.goto(server.url);
  const section = page.locator('section.epochs');
  await section.waitFor();
  expect(await section.textContent()).toContain('No epoch yet.');
  // The server takes part in the election as an observer.
  await expect.poll(() => section.locator('.workers').textContent()).toMatch(/server:\S+lives/);

  // The page counts down by its own clock: what came before may have taken long.
  clock.ms = Date.now();
  await openEpoch(scene, 1);
  await expect.poll(() => textOf(page, 'epoch.window')).toMatch(/window closes in \d+ s/);
  expect(await stateOf(page, 'Submission')).toBe('present');
  const good = signed({ epoch: 1, slot: 1, project: 'p', cid: 'c' });
  for (const { first } of validators) {
    await first.gateway.accept(good, { peer: 'p' });
    await first.gateway.accept(signed({ epoch: 1, slot: 2, project: 'p', cid: 'rejected' }), { peer: 'p' });
  }
  await expect.poll(() => textOf(page, 'epoch.refused')).toBe('rejected 1');
  expect(await textOf(page, 'epoch.submissions')).toBe('2');
  expect(await textOf(page, 'epoch.counted')).toBe('1');

  clock.ms += 10_000;
  for (const each of validators) await phaseReached(each, 1, 'onchain');
  await expect.poll(() => stateOf(page, 'On chain')).toBe('present');
  const one = watched(scene);
  await carry(one, 1, (await one.first.epoch(1))?.root ?? '');
  await expect.poll(() => stateOf(page, 'Complete')).toBe('present');
  await expect.poll(() => section.locator('.recent tbody tr').first().textContent()).toContain('complete');
  expect(await textOf(page, 'epoch.batches')).toBe('3 of 3');
  const rows = await section.locator('.validators tbody tr').allTextContents();
  expect(rows).toEqual(['v1', 'v2', 'v3'].map((name) => `${name}sent100%100%`));
  await isUsable(page);
});

test('names and reasons of strangers are text', async () => {
  const scene = await cast('sqlite', { level2TimeoutMs: 1_000 }, ['v1']);
  const one = watched(scene);
  await one.start();
  const server = await watching(scene);
  const { page } = await openPage();
  await page.goto(server.url);
  const strangers = ['<script>window.owned=true</script>', `"><svg/onload=window.owned=true>'`, 'W'.repeat(128)];
  const { monitor } = one.first;
  const { lease } = one.leadership;
  await monitor.apply({ kind: 'released', epoch: 1, closesAt: scene.clock.ms + 500, validators: strangers }, lease);
  await monitor.apply({ kind: 'confirmed', epoch: 1, root: '<i>', transaction: '<b>' }, lease);
  await monitor.apply({ kind: 'undone', epoch: 1 }, lease);
  const reason = '\u202Eback <img src=x onerror="window.owned = true">';
  await monitor.apply({ kind: 'refused', epoch: 1, reason }, lease);
  const section = page.locator('section.epochs');
  await expect.poll(() => textOf(page, 'epoch.reason')).toContain('onerror');
  for (const name of strangers) expect(await section.locator('.validators').textContent()).toContain(name);
  expect(await section.textContent()).not.toContain('\u202E');
  expect(await page.evaluate(() => 'owned' in window)).toBe(false);
  expect(await page.locator('#page script, #page img, #page svg[onload], .recent i').count()).toBe(0);
  await isUsable(page);
});

test('a server that watches no epochs has a page without them, and nothing is refused on the way', async () => {
  const server = await served();
  const { page } = await openPage();
  await page.goto(server.url);
  await expect.poll(() => page.locator('.status').getAttribute('data-state')).toBe('live');
  expect(await page.locator('section.epochs').count()).toBe(0);
});
