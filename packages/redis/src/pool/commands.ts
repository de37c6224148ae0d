import type { Packable } from './packed.ts';

/** The keys that a step or an import writes, by their numbers in the scripts. */
const keyNumbers = {
  meta: 1,
  idx: 2,
  flight: 3,
  body: 4,
  log: 5,
  blocks: 6,
  seen: 7,
  entries: 13,
  tags: 14,
  /** Not one of KEYS. lua/priority/commit.lua uses this number, which is beyond them, for `held`. */
  held: 16,
  records: 17,
  names: 18,
  leases: 19,
  taken: 20,
  claims: 21,
  facts: 22,
  sent: 23,
} as const;
type KeyName = keyof typeof keyNumbers;

/** Fits on Lua's stack. An even number, so that pairs stay together. */
const mostItems = 2_000;

/** Commands that a script calls, in this order: each its name, the number of its key, and its arguments. */
export class Commands {
  readonly list: Packable[][] = [];

  /** Adds a command, unless it has no items. One with many items becomes several. */
  add(name: string, key: KeyName, items: readonly Packable[], options: readonly Packable[] = []): void {
    for (let from = 0; from < items.length; from += mostItems)
      this.list.push([name, keyNumbers[key], ...options, ...items.slice(from, from + mostItems)]);
  }
}
