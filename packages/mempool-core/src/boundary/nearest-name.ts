import { MempoolError } from '../contract/errors.ts';

/** Longer than any name there is: what is longer is neither compared nor told whole. */
const maxNameLength = 100;

/** A name as an error may tell it. */
export function shortName(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
}

/** The name most like `given`, where one is near enough to be meant. */
function nearest(given: string, names: Iterable<string>): string | null {
  const short = given.slice(0, maxNameLength).toLowerCase();
  let best: string | null = null;
  let least = Math.max(2, Math.floor(short.length / 3)) + 1;
  for (const name of names) {
    const edits = distance(short, name.toLowerCase());
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** What to add to an error about a name that is not known. */
export function hint(given: string, names: Iterable<string>): string {
  const near = nearest(given, names);
  return near === null ? '' : `; did you mean ${near}?`;
}

/** An option that there is not: the error that names it, and the one that may be meant. */
export function unknownName(prefix: string, given: string, names: Iterable<string>): MempoolError {
  const field = prefix + shortName(given);
  const message = `${field} is not an option known here${hint(given, names)}`;
  return new MempoolError('ERR_MEMPOOL_INVALID', message, { field });
}

/** Levenshtein's: letters to put in, leave out or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
