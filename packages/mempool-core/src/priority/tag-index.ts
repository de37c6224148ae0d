import { isLive } from '../contract/transaction.ts';
import { nobody, type PoolNode } from './pool-node.ts';

/** Transactions by the tags that they name. */
export class TagIndex {
  readonly #nodes = new Map<string, Set<PoolNode>>();

  of(tag: string): ReadonlySet<PoolNode> {
    return this.#nodes.get(tag) ?? nobody;
  }

  has(tag: string): boolean {
    return this.#nodes.has(tag);
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  add(tags: readonly string[], node: PoolNode): void {
    for (const tag of tags) {
      const nodes = this.#nodes.get(tag);
      if (nodes === undefined) this.#nodes.set(tag, new Set([node]));
      else nodes.add(node);
    }
  }

  /** Removes the node from these tags. Calls `onLast` with each tag that no transaction names any more. */
  delete(tags: readonly string[], node: PoolNode, onLast?: (tag: string) => void): void {
    for (const tag of tags) {
      const nodes = this.#nodes.get(tag);
      if (nodes === undefined || !nodes.delete(node) || nodes.size > 0) continue;
      this.#nodes.delete(tag);
      onLast?.(tag);
    }
  }

  entries(): IterableIterator<[string, Set<PoolNode>]> {
    return this.#nodes.entries();
  }
}

/** Live transactions by sender, except the empty sender. It is built at its first use and updated from then on. */
export class SenderIndex {
  readonly #all: () => Iterable<PoolNode>;
  #made: TagIndex | null = null;

  constructor(all: () => Iterable<PoolNode>) {
    this.#all = all;
  }

  get index(): TagIndex {
    if (this.#made === null) {
      this.#made = new TagIndex();
      for (const node of this.#all()) this.add(node);
    }
    return this.#made;
  }

  add(node: PoolNode): void {
    if (hasSender(node)) this.#made?.add([node.entry.verdict.sender], node);
  }

  delete(node: PoolNode): void {
    if (hasSender(node)) this.#made?.delete([node.entry.verdict.sender], node);
  }
}

function hasSender({ entry, stage }: PoolNode): boolean {
  return entry.verdict.sender !== '' && isLive(stage);
}
