import { type Item, itemBytes, packLists } from './packed.ts';

/** The keys that a step or a restore writes, by their numbers in the scripts. */
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
export type KeyName = keyof typeof keyNumbers;

interface Command {
  readonly name: string;
  readonly key: KeyName;
  readonly options: readonly Item[];
  readonly items: readonly Item[];
}

/** Fits on Lua's stack. An even number, so that pairs stay together. */
const mostItems = 2_000;
/** An argument may have 512 MiB, but smaller ones need less memory on the server. */
const mostBytes = 8 * 1024 * 1024;

/** The commands that lua/priority/commit.lua calls, in this order. */
export class Commands {
  readonly #commands: Command[] = [];

  /** Adds a command, unless it has no items. */
  add(name: string, key: KeyName, items: readonly Item[], options: readonly Item[] = []): void {
    if (items.length > 0) this.#commands.push({ name, key, options, items });
  }

  /** Returns the commands as arguments of the script. */
  pack(): Buffer[] {
    const args: Buffer[] = [];
    let lists: Item[][] = [];
    let bytes = 0;
    for (const { name, key, options, items } of this.#commands) {
      for (let from = 0; from < items.length; ) {
        const part = partOf(items, from);
        lists.push([name, keyNumbers[key], ...options, ...part.items]);
        from += part.items.length;
        bytes += part.bytes;
        if (bytes < mostBytes) continue;
        args.push(packLists(lists));
        lists = [];
        bytes = 0;
      }
    }
    if (lists.length > 0) args.push(packLists(lists));
    return args;
  }
}

/** A part that is small enough for the server. It ends after a pair. */
function partOf(items: readonly Item[], from: number): { readonly items: readonly Item[]; readonly bytes: number } {
  let bytes = 0;
  let to = from;
  while (to < items.length && to - from < mostItems && bytes < mostBytes) {
    bytes += itemBytes(items[to] as Item) + itemBytes(items[to + 1] ?? 0);
    to += 2;
  }
  return { items: items.slice(from, to), bytes };
}
