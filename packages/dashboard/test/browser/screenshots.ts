/** `npm run screenshots`: the pictures of the READMEs, of the demo with a seed. */
import { mkdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDemo } from 'mempool-server';
import type { BrowserContextOptions } from 'playwright-core';
import { launch } from './chromium.ts';

const folder = fileURLToPath(new URL('../../docs/', import.meta.url));
const maxBytes = 150 * 1024;
/** So long the demo runs before, so that the charts have something to show. */
const warmUpMs = 150_000;

const wide = { viewport: { width: 1280, height: 1060 } };
const pictures: Readonly<Record<string, BrowserContextOptions>> = {
  'dashboard-light': { ...wide, colorScheme: 'light' },
  'dashboard-dark': { ...wide, colorScheme: 'dark' },
  'dashboard-phone': { viewport: { width: 390, height: 844 }, colorScheme: 'light', deviceScaleFactor: 1.5 },
};

await using server = await startDemo({ seed: 7, server: { port: 0 } });
await sleep(warmUpMs);
await mkdir(folder, { recursive: true });
const browser = await launch();
try {
  for (const [name, options] of Object.entries(pictures)) {
    const context = await browser.newContext({ ...options, locale: 'en-GB', timezoneId: 'UTC' });
    const page = await context.newPage();
    await page.goto(server.url);
    await page.locator('.status[data-state=live]').waitFor();
    await page.locator('.feed tbody tr').nth(5).waitFor();
    // A block or two, so that the page shows what it saw itself.
    await page.waitForTimeout(5_000);
    const path = `${folder}${name}.png`;
    await page.screenshot({ path });
    const { size } = await stat(path);
    console.log(`${path}: ${Math.ceil(size / 1024)} KiB`);
    if (size > maxBytes) throw new Error(`${name} has more than ${maxBytes / 1024} KiB`);
    await context.close();
  }
} finally {
  await browser.close();
}
