import { readFileSync } from 'node:fs';

/** A file of `sql`. The build puts the files themselves in this module's place: a bundle has no folder beside it. */
export function readSql(name: string): string {
  return readFileSync(new URL(`../../sql/${name}`, import.meta.url), 'utf8');
}
