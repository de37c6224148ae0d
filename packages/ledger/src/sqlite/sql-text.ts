import { readFileSync } from 'node:fs';

/** Reads one file in `sql`. The build replaces this module by the texts themselves, because a bundle has no such folder. */
export function readSql(name: string): string {
  return readFileSync(new URL(`../../sql/${name}`, import.meta.url), 'utf8');
}
