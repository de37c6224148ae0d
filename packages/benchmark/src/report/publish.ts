import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './chart.ts';
import { quoteEnd, quoteStart, report } from './report.ts';
import type { Result } from './result.ts';

const home: string = join(import.meta.dirname, '../..');

/** Of the last whole run, on a machine with nothing else to do. */
export const resultsFolder: string = join(home, 'results');

/** What quotes the last whole run between its markers. */
export const readmes: readonly string[] = [join(home, 'README.md'), join(home, '../../README.md')];

export function write(result: Result, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'latest.json'), `${JSON.stringify(result, rounded, 1)}\n`);
  writeFileSync(join(folder, 'latest.md'), report(result));
  writeFileSync(join(folder, 'latest.svg'), chart(result));
}

/** Five digits are more than any spread allows, and keep the file short. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

/** Renews the quote wherever there is one. */
export function quoteIn(paths: readonly string[], markdown: string): void {
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    const old = quoted(text);
    const fresh = quoted(markdown);
    if (old !== null && fresh !== null)
      writeFileSync(
        path,
        text.replace(old, () => fresh),
      );
  }
}

/** What stands between the markers; `null` without them. */
export function quoted(markdown: string): string | null {
  const start = markdown.indexOf(quoteStart);
  const end = markdown.indexOf(quoteEnd, start);
  return start === -1 || end === -1 ? null : markdown.slice(start + quoteStart.length, end);
}

/** The report of the last whole run; `null` before the first. */
export function storedReport(): string | null {
  const path = join(resultsFolder, 'latest.md');
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
