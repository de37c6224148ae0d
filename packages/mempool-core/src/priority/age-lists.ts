import { isLostEntry } from '../rules/damage.ts';
import { isGossipable, type PoolNode } from './pool-node.ts';

type KeyOf = ConstructorParameters<typeof AgeList>[0];

/** A list that is built on first use and updated from then on. A pool that never reads it pays nothing. */
class LazyList {
  readonly #keyOf: KeyOf;
  readonly #all: () => Iterable<PoolNode>;
  readonly #onMade: (list: LazyList) => void;
  #list: AgeList | null = null;

  constructor(keyOf: KeyOf, all: () => Iterable<PoolNode>, onMade: (list: LazyList) => void) {
    this.#keyOf = keyOf;
    this.#all = all;
    this.#onMade = onMade;
  }

  get list(): AgeList {
    if (this.#list !== null) return this.#list;
    const list = new AgeList(this.#keyOf);
    for (const node of this.#all()) list.add(node);
    this.#list = list;
    this.#onMade(this);
    return list;
  }

  get isMade(): boolean {
    return this.#list !== null;
  }

  add(node: PoolNode): void {
    this.#list?.add(node);
  }

  delete(node: PoolNode): void {
    this.#list?.delete(node);
  }
}

const whilePending =
  (keyOf: KeyOf): KeyOf =>
  (node) =>
    node.stage === 'Pending' ? keyOf(node) : null;

/** The same without those whose verdict is damaged: the time of their admission is lost, too (M2). */
const whileKnown = (keyOf: KeyOf): KeyOf => whilePending((node) => (isLostEntry(node.entry) ? null : keyOf(node)));

/** Lists of transactions by age, expiry, height of the verdict, gossip number and end of the claim. */
export class AgeLists {
  /** Pending transactions by the time of their admission, as far as it is known. */
  readonly admitted: LazyList;
  readonly admittedHeight: LazyList;
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
  readonly #made: LazyList[] = [];

  constructor(all: () => Iterable<PoolNode>) {
    const lazy = (keyOf: KeyOf): LazyList => new LazyList(keyOf, all, (made) => this.#made.push(made));
    this.admitted = lazy(whileKnown(({ entry }) => entry.admittedAt));
    this.admittedHeight = lazy(whileKnown(({ entry }) => entry.admittedHeight));
    const parkedAt: KeyOf = ({ place, entry }) =>
      place === null || place.ready || entry.notBefore !== undefined ? null : (entry.parkedAt ?? entry.admittedAt);
    this.parked = lazy(whileKnown(parkedAt));
    this.expiring = lazy(whilePending(({ entry }) => entry.verdict.expiresAt));
    this.expiringHeight = lazy(whilePending(({ entry }) => entry.verdict.expiresAtHeight));
    this.checked = lazy(whilePending(({ entry }) => entry.checkedHeight));
    this.checkedAway = lazy(({ stage, entry }) => (stage === 'Pending' ? null : entry.checkedHeight));
    // Gossip numbers begin at 1. A transaction that has just become ready gets its number at the end of the call.
    this.gossip = lazy((node) => (isGossipable(node) ? node.entry.gossipSeq || null : null));
    this.leased = lazy(({ entry }) => entry.claim?.untilMs ?? null);
  }

  add(node: PoolNode): void {
    for (const list of this.#made) list.add(node);
  }

  delete(node: PoolNode): void {
    for (const list of this.#made) list.delete(node);
  }
}

const chunkNodes = 256;

/** A section of an `AgeList`. The keys and the seqs are plain numbers, so a search reads no transaction. */
interface Chunk {
  readonly nodes: PoolNode[];
  readonly keys: number[];
  readonly seqs: number[];
}

function newChunk(): Chunk {
  return { nodes: [], keys: [], seqs: [] };
}

/**
 * Transactions by a numeric key, then by seq. Removal is lazy, because nearly all transactions leave before the list is
 * read. A removed transaction stays in its chunk until a walk or a later call cleans up the chunk.
 */
export class AgeList implements Iterable<PoolNode> {
  readonly #keyOf: (node: PoolNode) => number | null;
  #chunks: Chunk[] = [newChunk()];
  /** The number of transactions without removed ones. */
  #length = 0;
  #departures = 0;
  #nextToTidy = 0;

  /** `keyOf` returns `null` for a transaction that is not in the list. */
  constructor(keyOf: (node: PoolNode) => number | null) {
    this.#keyOf = keyOf;
  }

  add(node: PoolNode): void {
    const key = this.#keyOf(node);
    if (key === null) return;
    this.#length += 1;
    const { seq } = node;
    const at = this.#chunkOf(key, seq);
    const chunk = this.#chunks[at] as Chunk;
    const { nodes, keys, seqs } = chunk;
    const place = placeBehind(chunk, key, seq);
    if (place > 0 && keys[place - 1] === key && seqs[place - 1] === seq) {
      // The same transaction came back unchanged, or the first transaction with this seq was refused.
      nodes[place - 1] = node;
      return;
    }
    if (place === nodes.length) {
      nodes.push(node);
      keys.push(key);
      seqs.push(seq);
    } else {
      nodes.splice(place, 0, node);
      keys.splice(place, 0, key);
      seqs.splice(place, 0, seq);
    }
    if (nodes.length > chunkNodes) this.#split(at, place);
  }

  get length(): number {
    return this.#length;
  }

  /** Removes a transaction. Call it before the entry or the stage changes. */
  delete(node: PoolNode): void {
    if (this.#keyOf(node) === null) return;
    this.#length -= 1;
    this.#departures += 1;
    if (this.#length === 0) this.#chunks = [newChunk()];
    else if (this.#departures % chunkNodes === 0) this.#tidyNext();
  }

  [Symbol.iterator](): Generator<PoolNode, undefined> {
    return this.after(Number.NEGATIVE_INFINITY);
  }

  /** The transactions with a greater key, in order. */
  *after(key: number): Generator<PoolNode, undefined> {
    let at = this.#chunkOf(key, Number.POSITIVE_INFINITY);
    let place = placeBehind(this.#chunks[at] as Chunk, key, Number.POSITIVE_INFINITY);
    for (let chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[at]) {
      for (; place < chunk.nodes.length; place++) {
        if (!this.#isIn(chunk, place) && this.#tidy(chunk, place) === place) break;
        yield chunk.nodes[place] as PoolNode;
      }
      place = 0;
      if (chunk.nodes.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
      else at += 1;
    }
  }

  #isIn({ nodes, keys, seqs }: Chunk, place: number): boolean {
    const node = nodes[place] as PoolNode;
    return node.seq === seqs[place] && this.#keyOf(node) === keys[place];
  }

  /** Takes removed transactions out of the chunk, from index `from` on. Returns the new length of the chunk. */
  #tidy(chunk: Chunk, from: number): number {
    const { nodes, keys, seqs } = chunk;
    let kept = from;
    for (let place = from; place < nodes.length; place++) {
      if (!this.#isIn(chunk, place)) continue;
      nodes[kept] = nodes[place] as PoolNode;
      keys[kept] = keys[place] as number;
      seqs[kept] = seqs[place] as number;
      kept += 1;
    }
    nodes.length = kept;
    keys.length = kept;
    seqs.length = kept;
    return kept;
  }

  /** Tidies the next chunk, once per `chunkNodes` removals: at most about half of the list are removed nodes. */
  #tidyNext(): void {
    if (this.#nextToTidy >= this.#chunks.length) this.#nextToTidy = 0;
    const left = this.#tidy(this.#chunks[this.#nextToTidy] as Chunk, 0);
    if (left === 0 && this.#chunks.length > 1) this.#chunks.splice(this.#nextToTidy, 1);
    else this.#nextToTidy += 1;
  }

  /** Cuts a chunk in half. The last chunk stays whole if the new transaction is at its end, as nearly all are. */
  #split(at: number, place: number): void {
    const { nodes, keys, seqs } = this.#chunks[at] as Chunk;
    const isLast = at === this.#chunks.length - 1 && place === nodes.length - 1;
    const from = isLast ? chunkNodes : chunkNodes / 2;
    this.#chunks.splice(at + 1, 0, { nodes: nodes.splice(from), keys: keys.splice(from), seqs: seqs.splice(from) });
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
