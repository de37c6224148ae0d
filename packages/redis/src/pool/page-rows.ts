import { type ChainPoint, isLive, type LiveStage, type StoredTransaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Page, Reply } from '../connection/script.ts';
import { hexOf, textsIn } from './packed.ts';
import { decodeRecord, factsBytes, type LogRow, optionalTime, readEntry } from './record.ts';
import { decodeScore } from './score.ts';

/** A transaction of a page; a bare record if it is damaged (M2). */
export type Row = StoredTransaction | core.ReadRecord;

export function isIntact(row: Row): row is StoredTransaction {
  return 'stage' in row;
}

/** What transactions of one stage and tick have in common. */
interface Place {
  readonly stage: LiveStage;
  readonly confirmations: number;
  readonly nonConfirmations: number;
  readonly confirmedAt: ChainPoint | null;
}

const tickUnit = 1e6;

/** The transactions of an answer of lua/pool/page.lua. If they are read behind it, their records are added in order, in parts. */
export class PageRows {
  readonly epoch: string;
  readonly hashes: readonly string[];
  readonly #tick: number;
  readonly #seqs: readonly number[];
  readonly #scores: readonly number[];
  /** The points of all blocks that confirmed a transaction of the page, by tick. */
  readonly #points: ReadonlyMap<number, Buffer>;
  readonly #facts: Buffer;
  readonly #records: (Buffer | null)[] = [];
  readonly #rows: Row[] = [];
  /** By the digits of stage and tick in a score. */
  readonly #places = new Map<number, Place | null>();

  constructor([tick, epoch, , names, seqs, scores, points, facts, ...parts]: Page) {
    this.epoch = String(epoch);
    this.hashes = textsIn(names).map(hexOf);
    this.#tick = tick;
    this.#seqs = runsIn(seqs, 1);
    this.#scores = scores === null ? this.#seqs : runsIn(scores, 0);
    this.#points = pointsIn(points);
    this.#facts = facts;
    for (const records of parts) this.#records.push(...records);
  }

  add(records: readonly (Buffer | null)[]): void {
    this.#records.push(...records);
    this.all();
  }

  /** Those whose records have come. */
  all(): Row[] {
    for (let i = this.#rows.length; i < this.#records.length; i++) this.#rows.push(this.read(i));
    return this.#rows;
  }

  /** Reads a transaction. Each call copies its payload. */
  read(i: number): Row {
    const [hash, seq] = [this.hashes[i] as string, this.#seqs[i] as number];
    const { intact, payload, payloadType } = decodeRecord(this.#records[i] ?? null);
    const place = this.#placeOf(this.#scores[i] as number);
    if (place === null || !intact) return { hash, seq, payload };
    const { stage, confirmations, nonConfirmations, confirmedAt } = place;
    const factsAt = factsBytes * i;
    return {
      hash,
      payload,
      payloadType,
      seq,
      stage,
      notBefore: null,
      receivedAt: optionalTime(this.#facts.readUIntBE(factsAt, 6)),
      attempts: this.#facts.readUInt16BE(factsAt + 6),
      confirmations,
      nonConfirmations,
      confirmedAt: confirmedAt === null ? null : { ...confirmedAt },
    };
  }

  /** `null` if the score, or the point of the block, is damaged (M2). */
  #placeOf(score: number): Place | null {
    const digits = Math.floor(score / tickUnit);
    const known = this.#places.get(digits);
    if (known !== undefined) return known;
    const place = this.#decodePlace(score);
    this.#places.set(digits, place);
    return place;
  }

  #decodePlace(score: number): Place | null {
    const found = decodeScore(score);
    if (found === null || !isLive(found.stage)) return null;
    const { stage, number } = found;
    const none = { confirmations: 0, nonConfirmations: 0, reason: null, facts: core.noFacts };
    const counters = core.countersAt({ hash: '', seq: 0, stage, tick: number, ...none }, this.#tick);
    if (stage !== 'Confirmed') return { stage, ...counters, confirmedAt: null };
    const point = this.#points.get(number);
    return point?.length === core.pointBytes ? { stage, ...counters, confirmedAt: core.decodePoint(point) } : null;
  }
}

/** The entries of an answer of lua/pool/dump.lua. Entries, or records of payloads, that are read behind it are added in order. */
export class LogRows {
  /** The numbers of the oldest and the newest entry of the log. */
  readonly oldest: number;
  readonly last: number;
  readonly epoch: string;
  readonly rows: LogRow[] = [];
  readonly #first: number;
  readonly #entries: (Buffer | null)[];

  constructor([oldest, last, first, epoch, , entries, ...parts]: Reply<'dump'>) {
    this.oldest = oldest;
    this.last = last;
    this.epoch = String(epoch);
    this.#first = first;
    this.#entries = typeof entries === 'number' ? [] : entries;
    for (const records of parts) this.add(records);
  }

  addEntries(entries: readonly (Buffer | null)[]): void {
    this.#entries.push(...entries);
  }

  add(records: readonly (Buffer | null)[]): void {
    for (const record of records) {
      const i = this.rows.length;
      this.rows.push(readEntry(this.#first + i, this.#entries[i] ?? null, record));
    }
  }
}

/** The numbers of runs (lua/pool/page.lua), each higher by `step` than the one before it in its run. */
function runsIn(texts: Buffer, step: 0 | 1): number[] {
  const numbers: number[] = [];
  if (texts.length === 0) return numbers;
  for (const text of texts.toString('latin1').split(',')) {
    const space = text.indexOf(' ');
    const [first, count] =
      space < 0 ? [Number(text), 1] : [Number(text.slice(0, space)), Number(text.slice(space + 1))];
    for (let i = 0; i < count; i++) numbers.push(first + i * step);
  }
  return numbers;
}

function pointsIn(told: readonly (number | Buffer)[]): ReadonlyMap<number, Buffer> {
  const points = new Map<number, Buffer>();
  for (let i = 0; i < told.length; i += 2) points.set(told[i] as number, told[i + 1] as Buffer);
  return points;
}
