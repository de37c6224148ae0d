import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partialFolder } from '../setup/context.ts';
import { digits } from './format.ts';
import { quoteEnd, quoteStart, report } from './report.ts';
import type { Result } from './result.ts';

const home: string = join(import.meta.dirname, '../..');

/** The last whole run, on a machine with nothing else to do. */
export const resultsFolder: string = join(home, 'results');

/** They quote the last whole run between markers. */
export const readmes: readonly string[] = [join(home, 'README.md'), join(home, '../../README.md')];

/** Of the backends, or of the comparison with other projects. */
type Name = 'latest' | 'peers';

/** Writes a run, and prints it. Only a whole run replaces the stored one and the quotes of it. */
export function publish(
  result: Result,
  name: Name,
  { whole, out }: { readonly whole: boolean; readonly out: string | undefined },
): void {
  const folder = out ?? (whole ? resultsFolder : partialFolder);
  const markdown = report(result);
  write(result, folder, name);
  if (folder === resultsFolder && name === 'latest') quoteIn(readmes, markdown);
  console.log(markdown);
  console.error(`${digits(result.minutes)} minutes; written to ${join(folder, `${name}.{md,json}`)}`);
}

export function write(result: Result, folder: string, name: Name): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, rounded, 1)}\n`);
  writeFileSync(join(folder, `${name}.md`), report(result));
}

/** Five digits are more than any spread allows, and keep the file short. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

/** Renews the quote wherever there is one. */
export function quoteIn(paths: readonly string[], markdown: string): void {
  const fresh = quoted(markdown);
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    const old = quoted(text);
    if (old !== null && fresh !== null)
      writeFileSync(
        path,
        text.replace(old, () => fresh),
      );
  }
}

/** The text between the markers; `null` without them. */
export function quoted(markdown: string): string | null {
  const start = markdown.indexOf(quoteStart);
  const end = markdown.indexOf(quoteEnd, start);
  return start === -1 || end === -1 ? null : markdown.slice(start + quoteStart.length, end);
}
