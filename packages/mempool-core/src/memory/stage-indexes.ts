import type { TxState } from '../contract/lifecycle.ts';
import type { ChainPoint, KnownStage } from '../contract/transaction.ts';
import { isHeld, type Row, rewrite, sentAtOf, stateOf } from './row.ts';

/** The indexes and the number of the rows in a stage. */
interface StageIndex {
  readonly seqs: SeqList | HeldList | null;
  readonly ticks: TickIndex | null;
  count: number;
}

/** The indexes over a pool's rows. */
export class StageIndexes {
  /** The Pending rows that are not held back. */
  readonly pending: SeqList = new SeqList();
  /** The Pending rows that are held back (P20). */
  readonly held: HeldList = new HeldList();
  readonly inflight: SeqList = new SeqList();
  /** The Propagated and Acknowledged rows. */
  readonly waiting: TickIndex = new TickIndex();
  readonly confirmed: TickIndex = new TickIndex();
  readonly finalized: TickIndex = new TickIndex();
  readonly #pending: StageIndex = { seqs: this.pending, ticks: null, count: 0 };
  readonly #held: StageIndex = { seqs: this.held, ticks: null, count: 0 };
  readonly #byStage: Readonly<Record<KnownStage, StageIndex>> = {
    Pending: this.#pending,
    Propagated: { seqs: this.inflight, ticks: this.waiting, count: 0 },
    Acknowledged: { seqs: this.inflight, ticks: this.waiting, count: 0 },
    Confirmed: { seqs: this.inflight, ticks: this.confirmed, count: 0 },
    Finalized: { seqs: null, ticks: this.finalized, count: 0 },
    Dropped: { seqs: null, ticks: null, count: 0 },
  };

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

  add(row: Row): void {
    const stageIndex = this.#indexOf(row);
    stageIndex.count += 1;
    stageIndex.seqs?.insert(row);
    stageIndex.ticks?.insert(row);
  }

  /** Adds a Pending row with a greater seq than any before. */
  arrive(row: Row): void {
    this.#pending.count += 1;
    this.pending.append(row);
  }

  remove(row: Row): void {
    const stageIndex = this.#indexOf(row);
    stageIndex.count -= 1;
    stageIndex.seqs?.delete(row);
    stageIndex.ticks?.delete(row);
  }

  /** Writes the next state of a row with the same seq. In a list of both stages, the row keeps its position. */
  move(row: Row, txState: TxState, point: ChainPoint | null, at: number | null): void {
    const from = this.#indexOf(row);
    const to = txState.notBefore === undefined ? this.#byStage[txState.stage] : this.#held;
    const stays = from.ticks === to.ticks && row.tick === txState.tick;
    if (!stays) from.ticks?.delete(row);
    if (from.seqs !== to.seqs) from.seqs?.delete(row);
    rewrite(row, txState, point, at);
    if (from.seqs !== to.seqs) to.seqs?.insert(row);
    if (!stays) to.ticks?.insert(row);
    from.count -= 1;
    to.count += 1;
  }

  #indexOf(row: Row): StageIndex {
    return isHeld(row) ? this.#held : this.#byStage[row.stage];
  }
}

/** Rows in buckets by tick, so that a block or a rollback finds the rows that it changes without reading others (L12). */
export class TickIndex {
  readonly #ticks: number[] = [];
  readonly #buckets = new Map<number, Set<Row>>();
  #isInOrder = true;

  /** Records that rows were added in another order than they were sent, because they were restored. */
  disorder(): void {
    this.#isInOrder = false;
  }

  /**
   * Iterates over the rows in the order in which they were sent. That is the order by tick, because blocks only raise the
   * tick, and a rollback lowers the later ticks to its target.
   */
  *bySending(): Generator<Row, undefined> {
    if (!this.#isInOrder) this.#sort();
    for (const tick of this.#ticks) yield* this.#buckets.get(tick) ?? [];
  }

  #sort(): void {
    for (const [tick, rows] of this.#buckets) this.#buckets.set(tick, new Set([...rows].sort(bySending)));
    this.#isInOrder = true;
  }

  insert(row: Row): void {
    const { tick } = row;
    const bucket = this.#buckets.get(tick)?.add(row);
    if (bucket !== undefined) return;
    this.#buckets.set(tick, new Set([row]));
    this.#ticks.splice(upperBound(this.#ticks, tick), 0, tick);
  }

  delete(row: Row): void {
    const { tick } = row;
    const bucket = this.#buckets.get(tick);
    if (bucket?.delete(row) !== true || bucket.size > 0) return;
    this.#buckets.delete(tick);
    this.#ticks.splice(upperBound(this.#ticks, tick) - 1, 1);
  }

  upTo(tick: number): TxState[] {
    return this.#txStates(this.#ticks.slice(0, upperBound(this.#ticks, tick)));
  }

  after(tick: number): TxState[] {
    return this.#txStates(this.#ticks.slice(upperBound(this.#ticks, tick)));
  }

  #txStates(ticks: readonly number[]): TxState[] {
    return ticks.flatMap((tick) => Array.from(this.#buckets.get(tick) ?? [], stateOf));
  }
}

/** Compares rows by the time at which they were sent, then by seq. A row without a known time comes first. */
export function bySending(a: Row, b: Row): number {
  return (sentAtOf(a) ?? 0) - (sentAtOf(b) ?? 0) || a.seq - b.seq;
}

const chunkRows = 256;

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

function placeOf(chunk: readonly Row[], seq: number): number {
  const newest = chunk.at(-1);
  if (newest === undefined || newest.seq <= seq) return chunk.length;
  return bound(chunk.length, (i) => (chunk[i] as Row).seq > seq);
}

/** Rows that are held back (P20), sorted by the end of the hold, then by seq. */
export class HeldList {
  readonly #rows: Row[] = [];

  get length(): number {
    return this.#rows.length;
  }

  insert(row: Row): void {
    this.#rows.splice(this.#placeOf(row), 0, row);
  }

  delete(row: Row): void {
    const place = this.#placeOf(row) - 1;
    if (this.#rows[place] === row) this.#rows.splice(place, 1);
  }

  /** At most `limit` rows that are held back until `nowMs` or earlier. */
  until(nowMs: number, limit: number): Row[] {
    const end = bound(this.#rows.length, (i) => timeOf(this.#rows[i] as Row) > nowMs);
    return this.#rows.slice(0, Math.min(end, limit));
  }

  /** Index of the first row that comes behind this one. */
  #placeOf(row: Row): number {
    const time = timeOf(row);
    return bound(this.#rows.length, (i) => {
      const other = this.#rows[i] as Row;
      const otherTime = timeOf(other);
      return otherTime === time ? other.seq > row.seq : otherTime > time;
    });
  }
}

function timeOf({ mark }: Row): number {
  return mark?.notBefore ?? 0;
}

/**
 * Rows by seq, in chunks. A page can start at any seq, and removing a row moves at most one chunk. The lower bounds of
 * the chunks are plain numbers, so the search for a chunk reads no row.
 */
export class SeqList {
  readonly #starts: number[] = [0];
  readonly #chunks: Row[][] = [[]];
  #newest: Row[] = this.#chunks[0] as Row[];

  insert(row: Row): void {
    const newest = this.#newest.at(-1);
    if (newest === undefined || newest.seq > row.seq) this.#place(row);
    else this.append(row);
  }

  /** Adds a row with a greater seq than any in the list. */
  append(row: Row): void {
    const room = chunkRows - this.#newest.length;
    if (room > 0) this.#newest.push(row);
    else this.#add(this.#chunks.length, [row]);
  }

  #place(row: Row): void {
    const { seq } = row;
    const at = this.#chunkOf(seq);
    const chunk = this.#chunks[at] as Row[];
    const place = placeOf(chunk, seq);
    if (place === chunkRows) this.#add(at + 1, [row]);
    else if (place === chunk.length) chunk.push(row);
    else chunk.splice(place, 0, row);
    if (chunk.length > chunkRows) this.#add(at + 1, chunk.splice(chunkRows / 2));
  }

  delete(row: Row): void {
    const at = this.#chunkOf(row.seq);
    const chunk = this.#chunks[at] as Row[];
    chunk.splice(placeOf(chunk, row.seq) - 1, 1);
    if (chunk.length > 0 || at === 0) return;
    this.#chunks.splice(at, 1);
    this.#starts.splice(at, 1);
    this.#newest = this.#chunks[this.#chunks.length - 1] as Row[];
  }

  *after(seq: number): Generator<Row, undefined> {
    let at = this.#chunkOf(seq);
    let place = placeOf(this.#chunks[at] as Row[], seq);
    for (let chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[++at], place = 0)
      for (; place < chunk.length; place++) yield chunk[place] as Row;
  }

  #chunkOf(seq: number): number {
    const last = this.#starts.length - 1;
    return seq >= (this.#starts[last] as number) ? last : upperBound(this.#starts, seq) - 1;
  }

  #add(at: number, chunk: Row[]): void {
    this.#starts.splice(at, 0, (chunk[0] as Row).seq);
    this.#chunks.splice(at, 0, chunk);
    this.#newest = this.#chunks[this.#chunks.length - 1] as Row[];
  }
}
