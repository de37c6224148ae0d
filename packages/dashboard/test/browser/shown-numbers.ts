import type { Summary } from 'mempool-server';
import type { Page } from 'playwright-core';

/** The numbers that a page shows, by the field of the API that each is. */
export type Shown = Readonly<Record<string, string>>;

/** What a page shows, and the event up to which it counts, both read between two pictures. */
export function shownOn(page: Page): Promise<{ readonly cursor: string; readonly numbers: Shown }> {
  return page.evaluate(() => {
    const texts = Array.from(document.querySelectorAll('dl [data-field]'), (each) => [
      each.getAttribute('data-field') ?? '',
      each.textContent ?? '',
    ]);
    const cursor = document.querySelector('[data-cursor]')?.getAttribute('data-cursor') ?? '';
    return { cursor, numbers: Object.fromEntries(texts) as Record<string, string> };
  });
}

const count = (value: number): string => value.toLocaleString('en-US');
const rate = (value: number): string => {
  const maximumFractionDigits = value < 10 ? 1 : 0;
  return value.toLocaleString('en-US', { maximumFractionDigits });
};

/** What a page has to show of the totals of an answer. */
export function totalsOf({ stages }: Summary): Shown {
  return {
    'summary.stages.Pending': count(stages.Pending),
    'summary.stages.Propagated+Acknowledged': count(stages.Propagated + stages.Acknowledged),
    'summary.stages.Confirmed': count(stages.Confirmed),
  };
}

/** What a page has to show of the rates of an answer. */
export function ratesOf({ perMinute }: Summary): Shown {
  return {
    'summary.perMinute.finalized': rate(perMinute.finalized),
    'summary.perMinute.dropped': rate(perMinute.dropped),
  };
}

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration as the page writes it, in milliseconds, and how much the last unit may hide. */
export function timeOf(text: string): { readonly ms: number; readonly within: number } {
  const parts = Array.from(text.matchAll(/([\d.]+) (ms|s|min|h|d)\b/g), ([, value = '', unit = '']) => ({
    ms: Number(value) * (unitsMs[unit] ?? Number.NaN),
    within: (unitsMs[unit] ?? Number.NaN) * (value.includes('.') ? 0.1 : 1),
  }));
  return { ms: parts.reduce((sum, { ms }) => sum + ms, 0), within: parts.at(-1)?.within ?? 0 };
}

/** Collects the answers of the API to a page, by path without query, latest last. */
export function answersTo(page: Page): (path: string) => readonly unknown[] {
  const answers = new Map<string, unknown[]>();
  page.on('response', async (response) => {
    if (!response.ok() || !response.headers()['content-type']?.startsWith('application/json')) return;
    const { pathname } = new URL(response.url());
    const body: unknown = await response.json().catch(() => undefined);
    answers.set(pathname, [...(answers.get(pathname) ?? []), body]);
  });
  return (path) => answers.get(path) ?? [];
}
