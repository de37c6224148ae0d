import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { launch } from './chromium.ts';

let shared: Promise<Browser> | null = null;
afterAll(async () => (await shared)?.close());

/** What a page did that no page of ours may do. */
export interface Watched {
  readonly page: Page;
  /** Errors of the console and of scripts, and violations of the content security policy. */
  readonly faults: readonly string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** Faults that the test brings about, such as a refused connection. */
  readonly expected?: RegExp | undefined;
}

/**
 * A page in a context of its own, which ends with the test. When the test ends, it fails if the page had an error or
 * broke its content security policy.
 */
export async function openPage({
  expected,
  ...options
}: PageOptions = {}): Promise<Watched & { context: BrowserContext }> {
  shared ??= launch();
  const context = await (await shared).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = await watch(page);
  onTestFinished(async () => {
    await context.close();
    expect(faults.filter((fault) => expected?.test(fault) !== true)).toEqual([]);
  });
  return { page, faults, context };
}

async function watch(page: Page): Promise<string[]> {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  await page.exposeFunction('reportViolation', (text: string) => faults.push(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      const { reportViolation } = window as unknown as { reportViolation(text: string): void };
      reportViolation(`${violatedDirective} ${blockedURI}`);
    });
  });
  return faults;
}
