import { emptyBytes, type Item, PackedLists } from './packed.ts';

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

/** Fits on Lua's stack. An even number, so that pairs stay together. */
const mostItems = 2_000;
/** An argument may have 512 MiB, but smaller ones need less memory on the server. */
const mostBytes = 8 * 1024 * 1024;

/** The commands that lua/priority/commit.lua calls, in this order. */
export class Commands {
  readonly #args: Buffer[] = [];
  readonly #lists: PackedLists;
  #head: readonly Item[] = [];
  #items = 0;
  #isOpen = false;

  /** `bytes`: how many are expected. */
  constructor(bytes?: number) {
    this.#lists = new PackedLists(bytes);
  }

  /** Begins a command, to which the next items belong. It is left out if there are none. */
  begin(name: string, key: KeyName, options: readonly Item[] = []): void {
    this.#end();
    this.#head = [name, keyNumbers[key], ...options];
  }

  /** Adds a command, unless it has no items. */
  add(name: string, key: KeyName, items: readonly Item[], options: readonly Item[] = []): void {
    if (items.length === 0) return;
    this.begin(name, key, options);
    for (const item of items) this.item(item);
  }

  item(item: Item): void {
    this.#next().add(item);
  }

  hash(hash: string): void {
    this.#next().hash(hash);
  }

  digits(value: number): void {
    this.#next().digits(value);
  }

  /** Returns the commands as arguments of the script. */
  pack(): Buffer[] {
    this.#end();
    if (this.#lists.length > emptyBytes) this.#args.push(this.#lists.take());
    return this.#args;
  }

  /** A command with many items becomes several, each of which ends after a pair. */
  #next(): PackedLists {
    const isPair = this.#items % 2 === 0;
    if (isPair && this.#isOpen && (this.#items >= mostItems || this.#lists.length >= mostBytes)) this.#end();
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#lists.open();
      for (const item of this.#head) this.#lists.add(item);
    }
    this.#items += 1;
    return this.#lists;
  }

  #end(): void {
    if (this.#isOpen) this.#lists.close();
    [this.#isOpen, this.#items] = [false, 0];
    if (this.#lists.length >= mostBytes) this.#args.push(this.#lists.take());
  }
}
