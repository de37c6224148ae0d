import type { TxState } from '../contract/lifecycle.ts';
import type { KnownStage } from '../contract/transaction.ts';
import type { Columns } from './columns.ts';

/** The indexes and the number of the rows in a stage. */
interface StageIndex {
  readonly seqs: SeqList | HeldList | null;
  readonly ticks: TickIndex | null;
  count: number;
}

type Standing = Pick<TxState, 'stage' | 'tick' | 'notBefore'>;

/** The indexes over a pool's rows, which are known by their slots. */
export class StageIndexes {
  readonly #columns: Columns;
  /** The Pending rows that are not held back. */
  readonly pending: SeqList = new SeqList();
  /** The Pending rows that are held back (P20). */
  readonly held: HeldList;
  readonly inflight: SeqList = new SeqList();
  /** The Propagated and Acknowledged rows. */
  readonly waiting: TickIndex;
  readonly confirmed: TickIndex;
  readonly finalized: TickIndex;
  readonly #pending: StageIndex = { seqs: this.pending, ticks: null, count: 0 };
  readonly #held: StageIndex;
  readonly #byStage: Readonly<Record<KnownStage, StageIndex>>;

  constructor(columns: Columns) {
    this.#columns = columns;
    this.held = new HeldList(columns);
    this.#held = { seqs: this.held, ticks: null, count: 0 };
    const { inflight } = this;
    [this.waiting, this.confirmed, this.finalized] = [
      new TickIndex(columns),
      new TickIndex(columns),
      new TickIndex(columns),
    ];
    this.#byStage = {
      Pending: this.#pending,
      Propagated: { seqs: inflight, ticks: this.waiting, count: 0 },
      Acknowledged: { seqs: inflight, ticks: this.waiting, count: 0 },
      Confirmed: { seqs: inflight, ticks: this.confirmed, count: 0 },
      Finalized: { seqs: null, ticks: this.finalized, count: 0 },
      Dropped: { seqs: null, ticks: null, count: 0 },
    };
  }

  count(stage: KnownStage): number {
    return this.#byStage[stage].count + (stage === 'Pending' ? this.#held.count : 0);
  }

  /** The number of rows in each live stage. */
  counts(): Record<'pending' | 'propagated' | 'acknowledged' | 'confirmed', number> {
    const { Pending, Propagated, Acknowledged, Confirmed } = this.#byStage;
    return {
      pending: Pending.count + this.#held.count,
      propagated: Propagated.count,
      acknowledged: Acknowledged.count,
      confirmed: Confirmed.count,
    };
  }

  /** Adds a row in this state, and writes the state to its columns. */
  add(slot: number, txState: Standing): void {
    this.#write(slot, txState);
    const stageIndex = this.#indexOf(txState);
    stageIndex.count += 1;
    stageIndex.seqs?.insert(slot, this.#columns.seq(slot));
    stageIndex.ticks?.insert(slot);
  }

  remove(slot: number): void {
    const stageIndex = this.#indexAt(slot);
    stageIndex.count -= 1;
    stageIndex.seqs?.delete(slot, this.#columns.seq(slot));
    stageIndex.ticks?.delete(slot);
  }

  /** Writes the next state of a row with the same seq. In a list of both stages, the row keeps its position. */
  move(slot: number, txState: Standing): void {
    const from = this.#indexAt(slot);
    const to = this.#indexOf(txState);
    const seq = this.#columns.seq(slot);
    const stays = from.ticks === to.ticks && this.#columns.tick(slot) === txState.tick;
    const staysBySeq = from.seqs === to.seqs && from !== this.#held;
    if (!stays) from.ticks?.delete(slot);
    if (!staysBySeq) from.seqs?.delete(slot, seq);
    this.#write(slot, txState);
    if (!staysBySeq) to.seqs?.insert(slot, seq);
    if (!stays) to.ticks?.insert(slot);
    from.count -= 1;
    to.count += 1;
  }

  #write(slot: number, { stage, tick, notBefore }: Standing): void {
    this.#columns.move(slot, stage, tick);
    this.#columns.holdBack(slot, notBefore);
  }

  #indexOf({ stage, notBefore }: Standing): StageIndex {
    return notBefore === undefined ? this.#byStage[stage] : this.#held;
  }

  #indexAt(slot: number): StageIndex {
    const stage = this.#columns.stage(slot);
    return stage === 'Pending' && this.#columns.notBefore(slot) !== null ? this.#held : this.#byStage[stage];
  }
}

/** Rows in buckets by tick, so that a block or a rollback finds the rows that it changes without reading others (L12). */
export class TickIndex {
  readonly #columns: Columns;
  readonly #ticks: number[] = [];
  readonly #buckets = new Map<number, Set<number>>();
  #isInOrder = true;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Records that rows were added in another order than they were sent, because they were restored. */
  disorder(): void {
    this.#isInOrder = false;
  }

  /**
   * Iterates over the rows in the order in which they were sent. That is the order by tick, because blocks only raise the
   * tick, and a rollback lowers the later ticks to its target.
   */
  *bySending(): Generator<number, undefined> {
    if (!this.#isInOrder) this.#sort();
    for (const tick of this.#ticks) yield* this.#buckets.get(tick) ?? [];
  }

  #sort(): void {
    const compare = bySending(this.#columns);
    for (const [tick, rows] of this.#buckets) this.#buckets.set(tick, new Set([...rows].sort(compare)));
    this.#isInOrder = true;
  }

  insert(slot: number): void {
    const tick = this.#columns.tick(slot);
    const bucket = this.#buckets.get(tick)?.add(slot);
    if (bucket !== undefined) return;
    this.#buckets.set(tick, new Set([slot]));
    this.#ticks.splice(upperBound(this.#ticks, tick), 0, tick);
  }

  delete(slot: number): void {
    const tick = this.#columns.tick(slot);
    const bucket = this.#buckets.get(tick);
    if (bucket?.delete(slot) !== true || bucket.size > 0) return;
    this.#buckets.delete(tick);
    this.#ticks.splice(upperBound(this.#ticks, tick) - 1, 1);
  }

  upTo(tick: number): number[] {
    return this.#rows(this.#ticks.slice(0, upperBound(this.#ticks, tick)));
  }

  after(tick: number): number[] {
    return this.#rows(this.#ticks.slice(upperBound(this.#ticks, tick)));
  }

  #rows(ticks: readonly number[]): number[] {
    return ticks.flatMap((tick) => [...(this.#buckets.get(tick) ?? [])]);
  }
}

/** Compares rows by the time at which they were sent, then by seq. A row without a known time comes first. */
export function bySending(columns: Columns): (a: number, b: number) => number {
  return (a, b) => (columns.sent(a) ?? 0) - (columns.sent(b) ?? 0) || columns.seq(a) - columns.seq(b);
}

/** Index of the first of `length` positions for which `isBehind` is true; `length` if there is none. */
function bound(length: number, isBehind: (index: number) => boolean): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first number greater than `n` in an ascending list; its length if there is none. */
function upperBound(numbers: readonly number[], n: number): number {
  return bound(numbers.length, (i) => (numbers[i] as number) > n);
}

/** Rows that are held back (P20), sorted by the end of the hold, then by seq. */
export class HeldList {
  readonly #columns: Columns;
  readonly #rows: number[] = [];

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  get length(): number {
    return this.#rows.length;
  }

  insert(slot: number): void {
    this.#rows.splice(this.#placeOf(slot), 0, slot);
  }

  /** Removes a row, whose time must be the same as when it was inserted. */
  delete(slot: number): void {
    const place = this.#placeOf(slot) - 1;
    if (this.#rows[place] === slot) this.#rows.splice(place, 1);
  }

  /** At most `limit` rows that are held back until `nowMs` or earlier. */
  until(nowMs: number, limit: number): number[] {
    const end = bound(this.#rows.length, (i) => this.#timeOf(this.#rows[i] as number) > nowMs);
    return this.#rows.slice(0, Math.min(end, limit));
  }

  /** Index of the first row that comes behind this one. */
  #placeOf(slot: number): number {
    const [time, seq] = [this.#timeOf(slot), this.#columns.seq(slot)];
    return bound(this.#rows.length, (i) => {
      const other = this.#rows[i] as number;
      const otherTime = this.#timeOf(other);
      return otherTime === time ? this.#columns.seq(other) > seq : otherTime > time;
    });
  }

  #timeOf(slot: number): number {
    return this.#columns.notBefore(slot) ?? 0;
  }
}

const chunkSeqs = 1_024;

/** The rows of `chunkSeqs` successive seqs. Where a row is in the list, its slot is stored plus 1. */
interface Chunk {
  readonly slots: Int32Array;
  count: number;
}

/** Rows by seq. Each seq has a place of its own, so a page can start at any of them, and no row moves when another leaves. */
export class SeqList {
  readonly #chunks = new Map<number, Chunk>();
  /** The numbers of the chunks; in order unless `#isSorted` is false. */
  readonly #numbers: number[] = [];
  #isSorted = true;
  #newest: Chunk | null = null;
  #newestNumber = -1;

  insert(slot: number, seq: number): void {
    const number = chunkOf(seq);
    const chunk = number === this.#newestNumber && this.#newest !== null ? this.#newest : this.#chunkAt(number);
    const place = seq % chunkSeqs;
    if (chunk.slots[place] === 0) chunk.count += 1;
    chunk.slots[place] = slot + 1;
  }

  delete(slot: number, seq: number): void {
    const number = chunkOf(seq);
    const chunk = this.#chunks.get(number);
    const place = seq % chunkSeqs;
    if (chunk === undefined || chunk.slots[place] !== slot + 1) return;
    chunk.slots[place] = 0;
    chunk.count -= 1;
    // The newest chunk stays: the next row most likely comes there.
    if (chunk.count === 0 && chunk !== this.#newest) this.#drop(number);
  }

  *after(seq: number): Generator<number, undefined> {
    const first = chunkOf(seq);
    const numbers = this.#sorted();
    for (let at = upperBound(numbers, first - 1); at < numbers.length; at++) {
      const number = numbers[at] as number;
      const { slots } = this.#chunks.get(number) as Chunk;
      for (let place = number === first ? (seq % chunkSeqs) + 1 : 0; place < chunkSeqs; place++) {
        const held = slots[place] as number;
        if (held > 0) yield held - 1;
      }
    }
  }

  #chunkAt(number: number): Chunk {
    const known = this.#chunks.get(number);
    if (known !== undefined) return known;
    const chunk = { slots: new Int32Array(chunkSeqs), count: 0 };
    this.#chunks.set(number, chunk);
    this.#numbers.push(number);
    if (number < this.#newestNumber) this.#isSorted = false;
    else {
      const [former, formerNumber] = [this.#newest, this.#newestNumber];
      [this.#newest, this.#newestNumber] = [chunk, number];
      if (former?.count === 0) this.#drop(formerNumber);
    }
    return chunk;
  }

  #drop(number: number): void {
    this.#chunks.delete(number);
    this.#numbers.splice(this.#sorted().indexOf(number), 1);
  }

  #sorted(): number[] {
    if (!this.#isSorted) this.#numbers.sort((a, b) => a - b);
    this.#isSorted = true;
    return this.#numbers;
  }
}

function chunkOf(seq: number): number {
  return Math.floor(seq / chunkSeqs);
}
