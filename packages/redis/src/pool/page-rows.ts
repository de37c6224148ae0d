import { type ChainPoint, isLive, type LiveStage, type StoredTransaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Page } from '../connection/script.ts';
import { bundleIn, decodeRecord, factsBytes, optionalTime, unpackHashes } from './record.ts';
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
const space = 0x20;
const zero = 0x30;

/** The transactions of an answer of lua/pool/page.lua. */
export class PageRows {
  readonly hashes: readonly string[];
  readonly #tick: number;
  readonly #seqs: readonly number[];
  readonly #scores: readonly number[];
  /** The points of all blocks that confirmed a transaction of the page, by tick. */
  readonly #points: ReadonlyMap<number, Buffer>;
  readonly #facts: Buffer;
  /** P31: the bundles that are named, by the place of the transaction. */
  readonly #bundles: ReadonlyMap<number, number>;
  readonly #records: readonly (Buffer | null)[];
  /** By the digits of stage and tick in a score. */
  readonly #places = new Map<number, Place | null>();

  constructor([tick, , , names, seqs, scores, points, facts, ...parts]: Page) {
    this.hashes = unpackHashes(names);
    this.#tick = tick;
    this.#seqs = numbersIn(seqs);
    this.#scores = scores === null ? this.#seqs : numbersIn(scores);
    this.#points = pointsIn(points);
    this.#facts = facts;
    this.#bundles = bundlesIn(facts, factsBytes * this.hashes.length);
    const [only] = parts;
    this.#records = parts.length === 1 && only !== undefined ? only : parts.flat();
  }

  all(): Row[] {
    return this.#records.map((_, i) => this.read(i));
  }

  /** Reads a transaction. Each call copies its payload. */
  read(i: number): Row {
    const [hash, seq] = [this.hashes[i] as string, this.#seqs[i] as number];
    const { intact, payload, payloadType } = decodeRecord(this.#records[i] ?? null);
    const place = this.#placeOf(this.#scores[i] as number);
    if (place === null || !intact) return { hash, seq, payload };
    const { stage, confirmations, nonConfirmations, confirmedAt } = place;
    const factsAt = factsBytes * i;
    const transaction: StoredTransaction = {
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
    const bundle = this.#bundles.get(i);
    return bundle === undefined ? transaction : { ...transaction, bundle };
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

/** Numbers as texts with spaces between them. */
function numbersIn(texts: Buffer): number[] {
  const numbers: number[] = [];
  for (let from = 0, end = 0; from <= texts.length; from = end + 1) {
    let number = 0;
    let areDigits = true;
    for (end = from; end < texts.length && texts[end] !== space; end++) {
      const digit = (texts[end] as number) - zero;
      areDigits &&= digit >= 0 && digit <= 9;
      number = 10 * number + digit;
    }
    numbers.push(areDigits ? number : Number(texts.toString('latin1', from, end)));
  }
  return numbers;
}

function pointsIn(told: readonly (number | Buffer)[]): ReadonlyMap<number, Buffer> {
  const points = new Map<number, Buffer>();
  for (let i = 0; i < told.length; i += 2) points.set(told[i] as number, told[i + 1] as Buffer);
  return points;
}

/** The bundles in the entries behind the facts of a page. */
function bundlesIn(facts: Buffer, from: number): ReadonlyMap<number, number> {
  const bundles = new Map<number, number>();
  for (let at = from; at < facts.length; ) {
    const end = at + 8 + facts.readUInt32BE(at + 4);
    const bundle = bundleIn(facts.subarray(at + 8, end));
    if (bundle !== undefined) bundles.set(facts.readUInt32BE(at), bundle);
    at = end;
  }
  return bundles;
}
