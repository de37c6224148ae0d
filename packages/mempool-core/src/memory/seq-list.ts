import type { Row } from './row.ts';

const chunkRows = 256;

/** Index of the first of `length` places for which `isBehind` holds. */
function bound(length: number, isBehind: (index: number) => boolean): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first number greater than `n` in an ascending list. */
export function upperBound(numbers: readonly number[], n: number): number {
  return bound(numbers.length, (i) => (numbers[i] as number) > n);
}

function placeOf(chunk: readonly Row[], seq: number): number {
  const newest = chunk.at(-1);
  if (newest === undefined || newest.seq <= seq) return chunk.length;
  return bound(chunk.length, (i) => (chunk[i] as Row).seq > seq);
}

/**
 * Rows by seq, in chunks: a page starts anywhere without a walk, and taking a row out moves no more than a chunk. The lower
 * bounds of the chunks are plain numbers, so that the search for a chunk touches no row.
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

  /** A row with a greater seq than any in the list. */
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
