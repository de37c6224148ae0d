import { readFileSync } from 'node:fs';

/** A file of `lua`. The build puts the files themselves in this module's place: a bundle has no folder beside it. */
export function readLua(name: string): string {
  return readFileSync(new URL(`../../lua/${name}`, import.meta.url), 'utf8');
}
