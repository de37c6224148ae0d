import { isLive, knownStages, type Limits, MempoolError, type Ordering } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { LoadedPage } from '../connection/script.ts';
import { decodeFacts, decodeEntry as decodeLogEntry, endBytes } from './record.ts';
import { decodeScore } from './score.ts';

/** The head page: the values before the items. */
export type Head = [
  next: Buffer,
  tip: Buffer,
  tick: number,
  floor: number,
  seq: number,
  logSeq: number,
  logFirst: number,
  eventSeq: number,
  maxFinalized: number,
  maxRollback: number,
  gossipSeq: Buffer,
  limits: Buffer,
  lastAt: number,
  live: number,
  maxEvents: number,
  maxTxs: Buffer,
];
type BlockItem = [tick: number, block: Buffer | null, sighted: Buffer[]];
type LiveItem = [
  hash: Buffer,
  seq: Buffer,
  score: Buffer | null,
  point: Buffer,
  entry: Buffer | null,
  notBefore: Buffer | null,
  claim: readonly [id: Buffer, owner: Buffer, until: Buffer] | null,
];
type LogItem = [number: Buffer, entry: Buffer | null, owner?: Buffer, verdict?: Buffer | null, stage?: number];

/** All pages of lua/priority/load.lua. */
export interface LoadedPool {
  readonly position: core.PoolPosition;
  readonly head: LoadedPage;
  readonly blocks: readonly LoadedPage[];
  readonly live: readonly LoadedPage[];
  readonly log: readonly LoadedPage[];
  readonly tags: readonly LoadedPage[];
  /** Hashes with a body: the live ones, and the ones of the latest log entries. */
  readonly known: ReadonlySet<string>;
  /** Whether others changed the pool after its head was read. */
  readonly isMoving: boolean;
}

/** The hashes of a page of live transactions. */
export function liveHashes([, ...items]: LoadedPage): string[] {
  return (items as LiveItem[]).map(([hash]) => core.bytesToHash(hash));
}

/** The hashes whose latest state is in a page of the log. */
export function endedHashes([, ...items]: LoadedPage): string[] {
  return (items as LogItem[]).flatMap(([, , owner]) => (owner === undefined ? [] : core.bytesToHash(owner)));
}

/** The limits of a priority pool. */
export function limitsOf(head: LoadedPage | Head): Limits {
  const [, , , , , , , , , , , limits] = head as unknown as Head;
  return core.decodeLimits(String(limits));
}

/** The pool's retention, as far as a mirror has it. */
export function retentionOf({ head }: LoadedPool): { maxFinalized: number; maxRollback: number } {
  const [, , , , , , , , maxFinalized, maxRollback] = head as unknown as Head;
  return { maxFinalized, maxRollback };
}

/** The entries of transactions that ended after the first page. */
export function lateEntries({ head, log }: LoadedPool, damage: core.DamageReport): Map<string, core.Entry> {
  const [, , , , , logSeq] = head as unknown as Head;
  const late = new Map<string, core.Entry>();
  // They are at the end of the log.
  const last = log.findLastIndex(([, ...items]) => Number((items as LogItem[])[0]?.[0] ?? 0) <= logSeq);
  for (const [number, bytes, owner, record = null] of itemsOf<LogItem>(log.slice(Math.max(0, last)))) {
    const end = owner === undefined || Number(number) <= logSeq ? null : decodeLogEntry(bytes);
    if (end === null) continue;
    const { hash, seq } = end;
    const place = { hash, seq, bytes: 0, logSeq: Number(number) };
    late.set(hash, core.mirroredEntry(place, splitEntry(record)[1], damage));
  }
  return late;
}

/**
 * Yields the records of a loaded pool as it was at its first page, as far as its pages show it. It reports damaged ones and
 * replaces them by harmless substitutes (M2).
 */
export function* recordsOf(loaded: LoadedPool, damage: core.DamageReport): Generator<core.PoolRecord> {
  const head = loaded.head as unknown as Head;
  const reader = new RecordReader(loaded, damage);
  const [, , tick, floor, lastSeq, logSeq, logFirst, eventSeq, , , gossip, , lastAt] = head;
  yield { kind: 'base', tick, floor, lastSeq, trimmedLog: logFirst - 1, trimmedEvents: eventSeq, lastAt };
  for (const item of itemsOf<BlockItem>(loaded.blocks)) yield* reader.block(item);
  // Later commits are in the changes.
  for (const item of itemsOf<LiveItem>(loaded.live))
    if (!loaded.isMoving || Number(item[1]) <= lastSeq) yield* reader.live(item);
  let next = logFirst;
  const logged = loaded.log.reduce((sum, [, ...items]) => sum + items.length, 0);
  if (!loaded.isMoving && logFirst - 1 + logged !== logSeq)
    throw new MempoolError('ERR_MEMPOOL_CORRUPT', 'the log is not as long as its numbers say');
  for (const item of itemsOf<LogItem>(loaded.log)) {
    const number = Number(item[0]);
    if (number > logSeq) break;
    // Trimmed before they were read: the changes trim them, too.
    for (; next < number; next += 1) yield trimmedEnd(next);
    yield reader.end(item);
    next += 1;
  }
  for (; next <= logSeq; next += 1) yield trimmedEnd(next);
  for (const entry of reader.entries) yield { kind: 'entry', entry };
  yield { kind: 'gossip', lastGossipSeq: Number(gossip) };
  for (const page of loaded.tags) yield* tagRecords(page);
}

function trimmedEnd(number: number): core.PoolRecord {
  return { kind: 'write', write: { after: core.lostEnd(`lost:${number}`, 0), point: null, body: null } };
}

function* itemsOf<Item>(pages: readonly LoadedPage[]): Generator<Item, undefined> {
  for (const [, ...items] of pages) yield* items as Item[];
}

/** A tag may come twice (HSCAN). */
function* tagRecords([, ...items]: LoadedPage): Generator<core.PoolRecord> {
  for (let i = 0; i < items.length; i += 2)
    yield { kind: 'satisfied', tag: String(items[i]), tick: Number(items[i + 1]) };
}

class RecordReader {
  readonly entries: core.Entry[] = [];
  readonly #damage: core.DamageReport;
  readonly #tick: number;
  readonly #known: ReadonlySet<string>;

  constructor({ head, known }: LoadedPool, damage: core.DamageReport) {
    this.#damage = damage;
    this.#tick = (head as unknown as Head)[2];
    this.#known = known;
  }

  *block(item: BlockItem): Generator<core.PoolRecord> {
    const block = readBlock(item);
    // Damaged blocks are skipped: the verbs that need a point read the stored one.
    if (block !== null) yield { kind: 'block', block };
  }

  *live(item: LiveItem): Generator<core.PoolRecord> {
    const { state, point, entry } = readLive(item, this.#tick, this.#damage);
    yield { kind: 'write', write: { after: state, point, body: core.mirroredBody(state.hash) } };
    this.#read({ hash: state.hash, seq: state.seq }, entry);
  }

  /** Returns the write of one log entry. It has a body if it is the latest state of its hash. */
  end([number, bytes, owner, record = null, code]: LogItem): core.PoolRecord {
    const read = decodeLogEntry(bytes);
    const hash = owner === undefined ? null : core.bytesToHash(owner);
    const intact = read !== null && (hash === null || read.hash === hash);
    const { point, at, ...after } = intact ? endOf(read) : lostEnd(hash ?? `lost:${number}`, code);
    const place = { hash: after.hash, seq: after.seq, logSeq: Number(number) };
    if (!intact) this.#damage(place);
    if (hash !== null) this.#read(place, splitEntry(record)[1]);
    const isLatest = hash !== null || !this.#known.has(after.hash);
    return { kind: 'write', write: { after, point, body: isLatest ? core.mirroredBody(after.hash) : null }, at };
  }

  #read(place: core.Damage, record: Buffer | null): void {
    this.entries.push(core.mirroredEntry({ ...place, bytes: 0 }, record, this.#damage));
  }
}

/** Returns a block; `null` if it is damaged. */
function readBlock([tick, block, sighted]: BlockItem): core.KeptBlock | null {
  if (block === null || block.length < core.pointBytes) return null;
  const point = core.decodePoint(block.subarray(0, core.pointBytes));
  return { tick, point, sighted: sighted.map(core.bytesToHash) };
}

/** `tick`: since when one is in flight whose place is damaged. */
function readLive(
  [bytes, seqText, score, point, record, notBefore]: LiveItem,
  tick: number,
  damage: core.DamageReport,
) {
  const [hash, seq] = [core.bytesToHash(bytes), Number(seqText)];
  const place = score === null ? null : decodeScore(score);
  const [facts, entry] = splitEntry(record);
  const known = place !== null && isLive(place.stage) ? { ...place, stage: place.stage } : null;
  const at = point.length === core.pointBytes ? core.decodePoint(point) : null;
  if (known === null || (known.stage === 'Confirmed' && at === null)) damage({ hash, seq });
  const { stage, number } = known ?? { stage: 'Propagated', number: tick };
  const held = notBefore === null ? undefined : Number(notBefore);
  const state =
    stage === 'Pending' ? core.pendingState(hash, seq, held, facts) : core.live(hash, seq, stage, number, facts);
  return { state, point: at, entry };
}

/** A part of an export, without its body. */
export type BarePart<P extends core.LivePart | core.EndedPart> = Omit<P, 'body'> & { readonly hasBody: boolean };

/** Returns the parts of an export in a page of live transactions, without damaged Pending ones. @throws `ERR_MEMPOOL_CORRUPT` */
export function liveParts(
  [, ...items]: LoadedPage,
  ordering: Ordering,
  damage: core.DamageReport,
): BarePart<core.LivePart>[] {
  const parts = (items as LiveItem[]).map((item): BarePart<core.LivePart> | null => {
    const { state, point, entry: record } = readLive(item, 0, refuse);
    const [, , , , , , claim] = item;
    const entry = ordering === 'fifo' ? null : core.storedEntry(state, record);
    if (entry === undefined) return core.leaveOut(state, damage);
    const held = claim && { id: String(claim[0]), owner: String(claim[1]), untilMs: Number(claim[2]) };
    return { kind: 'live', state, point, entry, claim: held, hasBody: true };
  });
  return parts.filter((part) => part !== null);
}

/** Returns the parts of an export in a page of the log. Entries after `lateAfter` are late. */
export function endedParts(
  [, ...items]: LoadedPage,
  ordering: Ordering,
  lateAfter: number,
): BarePart<core.EndedPart>[] {
  return (items as LogItem[]).map(([number, bytes, owner, record = null]) => {
    const read = decodeLogEntry(bytes);
    const hash = owner === undefined ? null : core.bytesToHash(owner);
    if (read === null || (hash !== null && read.hash !== hash)) throw core.corrupt({ hash: hash ?? '', seq: 0 });
    const { point, at, ...state } = endOf(read);
    const logSeq = Number(number);
    return {
      kind: 'ended',
      logSeq,
      state,
      point,
      entry: ordering === 'fifo' || hash === null ? null : entryOf(state, splitEntry(record)[1]),
      at,
      ...(hash !== null && logSeq > lateAfter && { late: true }),
      hasBody: hash !== null,
    };
  });
}

/** Returns the parts of an export in a page of blocks. */
export function blockParts([, ...items]: LoadedPage): core.PoolPart[] {
  return (items as BlockItem[]).map((item) => {
    const block = readBlock(item);
    if (block === null) throw core.corrupt({ hash: '', seq: 0 });
    return { kind: 'block', ...block };
  });
}

function refuse(place: core.Damage): never {
  throw core.corrupt(place);
}

function entryOf(state: core.TxState, record: Buffer | null): core.Entry {
  return core.storedEntry(state, record) ?? refuse(state);
}

/** The facts in front of an entry (`wholeEntry` of lua/pool/entry.lua), and the entry. */
function splitEntry(record: Buffer | null): [facts: core.Facts, entry: Buffer | null] {
  if (record === null || record[0] !== 0) return [core.noFacts, record];
  return [decodeFacts(record.subarray(1, 1 + endBytes)), record.subarray(1 + endBytes)];
}

function endOf({ receivedAt, attempts, ...end }: NonNullable<ReturnType<typeof decodeLogEntry>>) {
  return { ...end, facts: { receivedAt, attempts, sentAt: null } };
}

/** In place of a damaged log entry. If it was Finalized by the index, it stays Finalized. */
function lostEnd(hash: string, code: number | undefined) {
  const txState = core.lostEnd(hash, 0);
  if (knownStages[code ?? -1] !== 'Finalized') return { ...txState, point: null, at: 0 };
  return { ...txState, stage: 'Finalized' as const, tick: 0, reason: null, point: null, at: 0 };
}
