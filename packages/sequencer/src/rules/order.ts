/** Compares by code units. Projects and content ids are ASCII, so this is also the order of their bytes. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The entries of a map by their keys. */
export function sortedEntries<V>(map: ReadonlyMap<string, V>): (readonly [string, V])[] {
  return [...map].sort(([a], [b]) => byText(a, b));
}
