import { createHash } from 'node:crypto';
import type { RunningServer } from 'mempool-server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { served } from '../../../server/test/http/served.ts';
import { openPage } from './browser.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const payload = new Uint8Array([1]);

/** Texts of strangers, each at most `max` characters. */
const hostile = (max: number): string[] =>
  [
    '<script>window.owned = true</script>',
    '<img src=x onerror="window.owned = true">',
    `"><svg/onload=window.owned=true>'`,
    '{{constructor.constructor("window.owned=true")()}} <%= window.owned=true %>',
    'javascript:window.owned=true',
    '\u202Eright to left\u2066 and back\u2069\u2069',
    'עברית, 12 ؟',
    '</style></title></textarea><h6>large</h6>',
    `${'W'.repeat(10_000)}`,
    `${'Ẅ̈̈̈'.repeat(2_500)}`,
    '\u0007\u001b[31m control \u0000 characters',
  ].map((text) => text.slice(0, max));

/** A pool whose senders, tags and reasons are hostile. */
async function hostileServer(environment: string): Promise<RunningServer> {
  const server = await served({ backend: 'ephemeral', ordering: 'priority' }, { environment });
  const { pool } = server;
  for (const [i, text] of hostile(200).entries()) {
    const own = (name: string) => hashOf(`${name} ${i}`);
    const verdict = { priority: BigInt(i), sender: text, provides: [text] };
    await pool.receive([{ hash: own('dropped'), payload, payloadType: 0 }]);
    await pool.drop([own('dropped')], { app: text });
    await pool.receive([{ hash: own('pending'), payload, payloadType: 0, verdict }]).catch(() => undefined);
  }
  // The longest and the shortest hash.
  await pool.receive([{ hash: 'ab'.repeat(64), payload, payloadType: 0 }]);
  await pool.receive([{ hash: 'ab', payload, payloadType: 0 }]);
  return server;
}

async function isUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'owned' in window)).toBe(false);
  // No element of a stranger.
  expect(await page.locator('#page script, #page img, #page h6, #page svg[onload]').count()).toBe(0);
  // Nothing turns the direction of what stands beside it.
  const turning = await page.evaluate(() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const apart = /\u2068[^\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*\u2069/g;
    const found: string[] = [];
    while (walk.nextNode() !== null) {
      const rest = (walk.currentNode.nodeValue ?? '').replaceAll(apart, '');
      if (/[\u0590-\u06ff\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(rest)) found.push(rest);
    }
    return found;
  });
  expect(turning).toEqual([]);
  const [scrolled, seen] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });
  expect(scrolled).toBeLessThanOrEqual(seen);
}

/** Without what may stand for a control character, and what keeps a text apart from its neighbours. */
function lettersOf(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\ufffd]/gu, '');
}

test.each(hostile(64))('texts of strangers stay texts: %j', async (environment) => {
  const server = await hostileServer(environment);
  const { page } = await openPage({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
  await page.goto(server.url);
  await expect.poll(() => page.locator('.status').getAttribute('data-state')).toBe('live');
  await expect.poll(() => page.locator('.feed tbody tr').count()).toBeGreaterThan(20);
  const shown = (await page.locator('.environment').textContent()) ?? '';
  expect(lettersOf(shown)).toBe(lettersOf(environment));
  await isUnharmed(page);
  for (const summary of await page.locator('details > summary').all()) await summary.click();
  await isUnharmed(page);
});

test('what a link or a search names is text, too', async () => {
  const server = await hostileServer('');
  const { page } = await openPage({ reducedMotion: 'reduce', expected: /status of 40/ });
  for (const text of [
    '<img src=x onerror=window.owned=true>',
    'ab'.repeat(64),
    '__proto__',
    '../../flush',
    '%',
    'z'.repeat(9_000),
  ]) {
    await page.goto(`${server.url}/#tx=${text}`);
    await page.reload();
    await expect.poll(() => page.locator('.status').getAttribute('data-state')).toBe('live');
    await isUnharmed(page);
  }
  for (const [i] of hostile(200).entries()) {
    await page.goto(`${server.url}/#tx=${hashOf(`dropped ${i}`)}`);
    await page.locator('dialog[open] .steps li').first().waitFor();
    await isUnharmed(page);
    expect(await page.locator('dialog[open]').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  }
});
