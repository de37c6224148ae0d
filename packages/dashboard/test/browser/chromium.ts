import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const quiet = ['quic', 'background-networking', 'component-update', 'sync', 'gpu'].map((name) => `--disable-${name}`);

/** The browser of the tests. @throws if there is none: a test without it would show nothing */
function chromiumPath(): string {
  const path = process.env.MEMPOOL_TEST_CHROMIUM ?? places.find((place) => existsSync(place));
  if (path === undefined) throw new Error('No Chromium: install chromium, or name it in MEMPOOL_TEST_CHROMIUM.');
  return path;
}

/** A new empty browser, which keeps pages for a step back as that of a user does. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--no-first-run', ...quiet],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
}
