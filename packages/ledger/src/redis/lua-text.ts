import { readFileSync } from 'node:fs';

/** Reads one file in `lua`. The build replaces this module by the texts themselves, because a bundle has no such folder. */
export function readLua(name: string): string {
  return readFileSync(new URL(`../../lua/${name}`, import.meta.url), 'utf8');
}
