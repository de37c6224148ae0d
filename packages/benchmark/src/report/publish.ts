import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partialFolder } from '../setup/context.ts';
import { digits } from './format.ts';
import { report } from './report.ts';
import type { Result } from './result.ts';

/** The last whole run, on a machine with nothing else to do. */
const resultsFolder: string = join(import.meta.dirname, '../../results');

/** Of the backends, or of the comparison with other projects. */
type Name = 'latest' | 'peers';

/** Writes a run, and prints it. Only a whole run replaces the stored one. */
export function publish(
  result: Result,
  name: Name,
  { whole, out }: { readonly whole: boolean; readonly out: string | undefined },
): void {
  const folder = out ?? (whole ? resultsFolder : partialFolder);
  write(result, folder, name);
  console.log(report(result));
  console.error(`${digits(result.minutes)} minutes; written to ${join(folder, `${name}.{md,json}`)}`);
}

function write(result: Result, folder: string, name: Name): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, rounded, 1)}\n`);
  writeFileSync(join(folder, `${name}.md`), report(result));
}

/** Five digits are more than any spread allows, and keep the file short. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}
