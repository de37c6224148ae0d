import type { WalletQuery } from '../contract/store.ts';
import type { Wallet } from '../contract/wallet.ts';

/** Wallets by creation, owner and tag. */
export class WalletIndex {
  readonly #all: number[] = [];
  readonly #byOwner = new Map<string, number[]>();
  readonly #byTag = new Map<string, number[]>();
  readonly #ids = new Map<number, string>();

  add(wallet: Wallet): void {
    this.#ids.set(wallet.createdSeq, wallet.id);
    this.#all.push(wallet.createdSeq);
    insert(this.#byOwner, wallet.owner, wallet.createdSeq);
    for (const tag of wallet.tags) insert(this.#byTag, tag, wallet.createdSeq);
  }

  retag(before: Wallet, after: Wallet): void {
    for (const tag of before.tags) if (!after.tags.includes(tag)) remove(this.#byTag, tag, before.createdSeq);
    for (const tag of after.tags) if (!before.tags.includes(tag)) insert(this.#byTag, tag, before.createdSeq);
  }

  /** Returns the ids of the wallets that match a query, in the order of their creation, up to its `limit`. */
  find({ owner, tags, match, after, limit }: WalletQuery): readonly string[] {
    const owned = owner === null ? this.#all : (this.#byOwner.get(owner) ?? []);
    const tagged = tags.map((tag) => this.#byTag.get(tag) ?? []);
    const found: string[] = [];
    for (const seq of match === 'any' && tags.length > 0
      ? union(tagged, after)
      : from(shortest([owned, ...tagged]), after)) {
      if (found.length === limit) break;
      const has = (list: readonly number[]) => contains(list, seq);
      const fits = tags.length === 0 || (match === 'all' ? tagged.every(has) : tagged.some(has));
      if (fits && has(owned)) found.push(this.#ids.get(seq) ?? '');
    }
    return found;
  }
}

function insert(lists: Map<string, number[]>, key: string, seq: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [seq]);
  else list.splice(firstAfter(list, seq), 0, seq);
}

function remove(lists: Map<string, number[]>, key: string, seq: number): void {
  const list = lists.get(key) ?? [];
  const position = firstAfter(list, seq - 1);
  if (list[position] === seq) list.splice(position, 1);
  if (list.length === 0) lists.delete(key);
}

function shortest(lists: readonly (readonly number[])[]): readonly number[] {
  return lists.reduce((best, list) => (list.length < best.length ? list : best));
}

function* from(list: readonly number[], after: number): Generator<number> {
  for (let position = firstAfter(list, after); position < list.length; position++) yield list[position] ?? 0;
}

/** The numbers of several lists after one, in order, each once. */
function* union(lists: readonly (readonly number[])[], after: number): Generator<number> {
  const positions = lists.map((list) => firstAfter(list, after));
  for (;;) {
    const heads = lists.map((list, index) => list[positions[index] ?? 0] ?? Number.POSITIVE_INFINITY);
    const next = Math.min(...heads);
    if (next === Number.POSITIVE_INFINITY) return;
    yield next;
    for (const [index, head] of heads.entries()) if (head === next) positions[index] = (positions[index] ?? 0) + 1;
  }
}

function contains(list: readonly number[], seq: number): boolean {
  return list[firstAfter(list, seq - 1)] === seq;
}

/** Returns the index of the first number of a sorted list that is greater than `seq`. */
export function firstAfter(list: readonly number[], seq: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
