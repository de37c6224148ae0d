import { type Item, Packed } from './packed.ts';

/** The keys that a step writes, by their numbers in the scripts. */
export const keyNumbers = {
  meta: 1,
  idx: 2,
  flight: 3,
  body: 4,
  log: 5,
  blocks: 6,
  seen: 7,
  entries: 13,
  tags: 14,
} as const;
export type KeyName = keyof typeof keyNumbers;

interface Command {
  readonly name: string;
  readonly key: KeyName;
  readonly options: readonly Item[];
  readonly items: readonly Item[];
}

/** What Lua's stack can take, and an even number: pairs stay together. */
const mostItems = 2_000;
/** An argument may have 512 MiB; a server reads smaller ones with less memory. */
const mostBytes = 8 * 1024 * 1024;

/** The commands that lua/commit.lua calls, in this order. */
export class Commands {
  readonly #commands: Command[] = [];

  /** With no items it is not called. */
  add(name: string, key: KeyName, items: readonly Item[], options: readonly Item[] = []): void {
    if (items.length > 0) this.#commands.push({ name, key, options, items });
  }

  /** As arguments of the script. */
  pack(): Buffer[] {
    const packed = new Packed();
    const args: Buffer[] = [];
    let lists = 0;
    for (const { name, key, options, items } of this.#commands) {
      for (let from = 0; from < items.length; ) {
        const to = endOfPart(items, from);
        const parts = [name, keyNumbers[key], ...options, ...items.slice(from, to)];
        packed.array(parts.length);
        for (const part of parts) packed.item(part);
        lists += 1;
        from = to;
        if (packed.length < mostBytes) continue;
        args.push(packed.take(lists));
        lists = 0;
      }
    }
    if (lists > 0) args.push(packed.take(lists));
    return args;
  }
}

/** Ends in time for the server, at a pair. */
function endOfPart(items: readonly Item[], from: number): number {
  let bytes = 0;
  let to = from;
  while (to < items.length && to - from < mostItems && bytes < mostBytes) {
    bytes += sizeOf(items[to]) + sizeOf(items[to + 1]);
    to += 2;
  }
  return Math.min(to, items.length);
}

function sizeOf(item: Item | undefined): number {
  return item === undefined || typeof item === 'number' ? 0 : item.length;
}
