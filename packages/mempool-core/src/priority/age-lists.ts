import { isLostEntry } from '../rules/damage.ts';
import type { NodeTable } from './node-table.ts';
import { isGossipable, type PoolNode } from './pool-node.ts';

type KeyOf = (node: PoolNode) => number | null;

/** What a list knows of the transactions by their slots. */
export interface Stamped {
  at(slot: number): PoolNode | undefined;
  /** Another number after each change of the transaction. */
  stampOf(slot: number): number;
}

/** Before so many were added later, those that have changed are not taken out. */
const leastLater = 1_024;

/** A list that is built on first use and updated from then on. A pool that never reads it pays nothing. */
class LazyList {
  readonly #make: () => AgeList;
  readonly #table: Stamped;
  #list: AgeList | null = null;
  /** Slots of transactions that are added when the list is read, and their stamps. */
  #slots: number[] = [];
  #stamps: number[] = [];
  #mostLater = leastLater;

  constructor(make: () => AgeList, table: Stamped) {
    this.#make = make;
    this.#table = table;
  }

  get list(): AgeList {
    this.#list ??= this.#make();
    this.#tidyLater();
    for (const slot of this.#slots) this.#list.add(this.#table.at(slot) as PoolNode);
    this.#slots = [];
    this.#stamps = [];
    return this.#list;
  }

  add(node: PoolNode): void {
    this.#list?.add(node);
  }

  /** Adds a transaction that has a new stamp, but reads it only when the list is read: it is in no cache of the processor. */
  addLater(slot: number): void {
    if (this.#list === null) return;
    this.#slots.push(slot);
    this.#stamps.push(this.#table.stampOf(slot));
    if (this.#slots.length > this.#mostLater) this.#tidyLater();
  }

  /** Takes out those that have changed since. */
  #tidyLater(): void {
    const [slots, stamps] = [this.#slots, this.#stamps];
    let kept = 0;
    for (let i = 0; i < slots.length; i++) {
      const [slot, stamp] = [slots[i] as number, stamps[i] as number];
      if (this.#table.stampOf(slot) !== stamp) continue;
      slots[kept] = slot;
      stamps[kept] = stamp;
      kept += 1;
    }
    slots.length = kept;
    stamps.length = kept;
    this.#mostLater = 2 * Math.max(leastLater, kept);
  }
}

const whilePending =
  (keyOf: (node: PoolNode) => number | null | undefined): KeyOf =>
  (node) =>
    node.stage === 'Pending' ? (keyOf(node) ?? null) : null;

/** The same without those whose verdict is damaged: the time of their admission is lost, too (M2). */
const whileKnown = (keyOf: KeyOf): KeyOf => whilePending((node) => (isLostEntry(node.entry) ? null : keyOf(node)));

/** Lists of transactions by age, expiry, height of the verdict, gossip number and end of the claim. */
export class AgeLists {
  /** Pending transactions by the time of their admission, as far as it is known. */
  readonly admitted: LazyList;
  readonly admittedHeight: LazyList;
  /** Pending transactions that are held back (P20), by the time until which they are. */
  readonly held: LazyList;
  /** Parked transactions by the time at which they were parked, without those that are held back (P20). */
  readonly parked: LazyList;
  /** Pending transactions whose verdict has an expiry time. */
  readonly expiring: LazyList;
  readonly expiringHeight: LazyList;
  /** Pending transactions by the height of their verdict. */
  readonly checked: LazyList;
  /** Transactions in flight or in the log, by the height of their verdict. */
  readonly checkedAway: LazyList;
  /** Transactions that may be sent to peers, in the order in which they became ready. */
  readonly gossip: LazyList;
  /** Taken transactions by the end of their claim. */
  readonly leased: LazyList;
  readonly #made: AgeList[] = [];
  readonly #table: NodeTable;
  #changes = 0;

  constructor(table: NodeTable) {
    this.#table = table;
    const lazy = (keyOf: KeyOf, tie?: Tie): LazyList =>
      new LazyList(() => {
        const list = new AgeList(keyOf, table, tie);
        for (const node of table.all()) list.add(node);
        this.#made.push(list);
        return list;
      }, table);
    this.admitted = lazy(whileKnown(({ entry }) => entry.admittedAt));
    this.admittedHeight = lazy(whileKnown(({ entry }) => entry.admittedHeight));
    this.held = lazy(whilePending(({ entry }) => entry.notBefore));
    const parkedAt: KeyOf = ({ place, entry }) =>
      place === null || place.ready || entry.notBefore !== undefined ? null : (entry.parkedAt ?? entry.admittedAt);
    this.parked = lazy(whileKnown(parkedAt));
    this.expiring = lazy(whilePending(({ entry }) => entry.verdict.expiresAt));
    this.expiringHeight = lazy(whilePending(({ entry }) => entry.verdict.expiresAtHeight));
    this.checked = lazy(whilePending(({ entry }) => entry.checkedHeight));
    // Whoever reads it needs no order among equals: what leaves goes to the end.
    this.checkedAway = lazy(({ stage, entry }) => (stage === 'Pending' ? null : entry.checkedHeight), 'any order');
    // Gossip numbers begin at 1. A transaction that has just become ready gets its number at the end of the call.
    this.gossip = lazy((node) => (isGossipable(node) ? node.entry.gossipSeq || null : null));
    this.leased = lazy(({ entry }) => entry.claim?.untilMs ?? null);
  }

  add(node: PoolNode): void {
    for (const list of this.#made) list.add(node);
  }

  /** Adds an evicted transaction. It was deleted before. */
  addEvicted(slot: number): void {
    this.checkedAway.addLater(slot);
  }

  /** Sets the gossip number of an entry that this call made. */
  number(node: PoolNode, gossipSeq: number): void {
    const isNumbered = node.entry.gossipSeq !== 0;
    if (isNumbered) this.delete(node.slot);
    (node.entry as { gossipSeq: number }).gossipSeq = gossipSeq;
    if (isNumbered) this.add(node);
    else this.gossip.add(node);
  }

  /** Removes the transaction from all lists. */
  delete(slot: number): void {
    this.#table.restamp(slot);
    this.#changes += 1;
    if (this.#changes % chunkLength === 0) for (const list of this.#made) list.tidyNext();
  }
}

const chunkLength = 256;
/** After so many additions a list that has grown too long tidies a chunk. Far fewer than a chunk has, so it gets shorter. */
const addedPerTidy = 16;

/** The order of those with the same key. */
type Tie = 'by seq' | 'any order';

/** A section of an `AgeList`. All are plain numbers, so a search reads no transaction. */
interface Chunk {
  readonly slots: number[];
  readonly stamps: number[];
  readonly keys: number[];
  readonly seqs: number[];
}

function newChunk(): Chunk {
  return { slots: [], stamps: [], keys: [], seqs: [] };
}

/**
 * Transactions by a numeric key, then by seq. Removal is lazy, because nearly all transactions leave before the list is
 * read: a transaction whose stamp has changed is in the list no longer. It stays in its chunk until a walk or a later call
 * cleans up the chunk.
 */
export class AgeList implements Iterable<PoolNode> {
  readonly #keyOf: KeyOf;
  readonly #table: Stamped;
  readonly #isBySeq: boolean;
  readonly #chunks: Chunk[] = [newChunk()];
  #nextToTidy = 0;
  /** The length with those that have left. */
  #length = 0;
  /** How many were left in the chunks since the first one was tidied. */
  #kept = 0;
  /** Twice as many as were left in all chunks. A longer list tidies itself. */
  #mostLength = 2 * chunkLength;
  #added = 0;

  /** `keyOf` returns `null` for a transaction that is not in the list. */
  constructor(keyOf: KeyOf, table: Stamped, tie: Tie = 'by seq') {
    this.#keyOf = keyOf;
    this.#table = table;
    this.#isBySeq = tie === 'by seq';
  }

  /** Adds a transaction if it has a key. It must have a new stamp, or not have been in the list. */
  add(node: PoolNode): void {
    const key = this.#keyOf(node);
    if (key === null) return;
    const seq = this.#isBySeq ? node.seq : 0;
    const at = this.#chunkOf(key, seq);
    const chunk = this.#chunks[at] as Chunk;
    const place = placeBehind(chunk, key, seq);
    const { slots, stamps, keys, seqs } = chunk;
    const { slot } = node;
    const stamp = this.#table.stampOf(slot);
    if (place === slots.length) {
      slots.push(slot);
      stamps.push(stamp);
      keys.push(key);
      seqs.push(seq);
    } else {
      slots.splice(place, 0, slot);
      stamps.splice(place, 0, stamp);
      keys.splice(place, 0, key);
      seqs.splice(place, 0, seq);
    }
    if (slots.length > chunkLength) this.#split(at, place);
    this.#length += 1;
    this.#added += 1;
    const isTooLong = this.#length > this.#mostLength;
    if (this.#added % (isTooLong ? addedPerTidy : chunkLength) === 0) this.tidyNext();
  }

  /**
   * Tidies the next chunk. Call it once per `chunkLength` changes, so that a list to which nothing is added gets shorter. By that
   * alone one would grow for ever if those that leave come back, as they do when they are revised.
   */
  tidyNext(): void {
    if (this.#nextToTidy >= this.#chunks.length) {
      this.#nextToTidy = 0;
      this.#mostLength = 2 * Math.max(chunkLength, this.#kept);
      this.#kept = 0;
    }
    const at = this.#nextToTidy;
    const chunk = this.#chunks[at] as Chunk;
    const left = this.#tidy(chunk, 0);
    this.#kept += left;
    if (this.#chunks.length > 1 && (left === 0 || this.#isJoined(at, chunk))) this.#chunks.splice(at, 1);
    else this.#nextToTidy += 1;
  }

  /** True if few are left in the chunk and in the one before, which has all of them now. */
  #isJoined(at: number, chunk: Chunk): boolean {
    const before = this.#chunks[at - 1];
    if (before === undefined || before.slots.length + chunk.slots.length > chunkLength / 2) return false;
    before.slots.push(...chunk.slots);
    before.stamps.push(...chunk.stamps);
    before.keys.push(...chunk.keys);
    before.seqs.push(...chunk.seqs);
    return true;
  }

  [Symbol.iterator](): Generator<PoolNode, undefined> {
    return this.after(Number.NEGATIVE_INFINITY);
  }

  /** The transactions with a greater key, in order. */
  *after(key: number): Generator<PoolNode, undefined> {
    let at = this.#chunkOf(key, Number.POSITIVE_INFINITY);
    let place = placeBehind(this.#chunks[at] as Chunk, key, Number.POSITIVE_INFINITY);
    for (let chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[at]) {
      for (; place < chunk.slots.length; place++) {
        if (!this.#isIn(chunk, place) && this.#tidy(chunk, place) === place) break;
        yield this.#table.at(chunk.slots[place] as number) as PoolNode;
      }
      place = 0;
      if (chunk.slots.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
      else at += 1;
    }
  }

  #isIn({ slots, stamps }: Chunk, place: number): boolean {
    return this.#table.stampOf(slots[place] as number) === stamps[place];
  }

  /** Takes removed transactions out of the chunk, from index `from` on. Returns the new length of the chunk. */
  #tidy(chunk: Chunk, from: number): number {
    const { slots, stamps, keys, seqs } = chunk;
    let kept = from;
    for (let place = from; place < slots.length; place++) {
      if (!this.#isIn(chunk, place)) continue;
      slots[kept] = slots[place] as number;
      stamps[kept] = stamps[place] as number;
      keys[kept] = keys[place] as number;
      seqs[kept] = seqs[place] as number;
      kept += 1;
    }
    this.#length -= slots.length - kept;
    for (const column of [slots, stamps, keys, seqs]) column.length = kept;
    return kept;
  }

  /** Cuts a chunk in half. The last chunk stays whole if the new transaction is at its end, as nearly all are. */
  #split(at: number, place: number): void {
    const { slots, stamps, keys, seqs } = this.#chunks[at] as Chunk;
    const isLast = at === this.#chunks.length - 1 && place === slots.length - 1;
    const from = isLast ? chunkLength : chunkLength / 2;
    const rest = {
      slots: slots.splice(from),
      stamps: stamps.splice(from),
      keys: keys.splice(from),
      seqs: seqs.splice(from),
    };
    this.#chunks.splice(at + 1, 0, rest);
    if (at < this.#nextToTidy) this.#nextToTidy += 1;
  }

  /** Index of the last chunk that begins at or before the key; 0 if there is none. */
  #chunkOf(key: number, seq: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    if (high > 0 && isUpTo(this.#chunks[high] as Chunk, 0, key, seq)) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (isUpTo(this.#chunks[middle] as Chunk, 0, key, seq)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function placeBehind(chunk: Chunk, key: number, seq: number): number {
  let high = chunk.keys.length;
  if (high > 0 && isUpTo(chunk, high - 1, key, seq)) return high;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isUpTo(chunk, middle, key, seq)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isUpTo({ keys, seqs }: Chunk, place: number, key: number, seq: number): boolean {
  const own = keys[place] as number;
  return own === key ? (seqs[place] as number) <= seq : own < key;
}
