import { isLive, knownStages, type Limits, MempoolError } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { LoadedPage, Reply } from '../connection/script.ts';
import { decodeFacts, decodeEntry as decodeLogEntry, endBytes } from './record.ts';
import { decodeScore } from './score.ts';

type Head = [
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
];
type BlockItem = [tick: number, block: Buffer | null, sighted: Buffer[]];
type LiveItem = [
  hash: Buffer,
  seq: Buffer,
  score: Buffer | null,
  point: Buffer,
  entry: Buffer | null,
  notBefore?: Buffer | null,
];
type LogItem = [number: Buffer, entry: Buffer | null, owner?: Buffer, verdict?: Buffer | null, stage?: number];

/** Few enough that a script is short. */
const pageItems = { blocks: 64, pending: 1_000, flight: 1_000, log: 500, tags: 2_000 } as const;
const allItems = 1e9;
const attempts = 3;

/** Runs lua/priority/load.lua. */
type ReadPool = (what: string, after: string, count: number) => Promise<Reply<'load'>>;

/** All pages of lua/priority/load.lua. */
export interface LoadedPool {
  readonly position: core.PoolPosition;
  readonly head: LoadedPage;
  readonly blocks: readonly LoadedPage[];
  readonly txStates: readonly LoadedPage[];
  readonly log: readonly LoadedPage[];
  readonly tags: readonly LoadedPage[];
}

/**
 * Loads the pool page by page. If the pool changes meanwhile, it tries again, and finally loads the pool in one script.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if its numbers do not fit together
 */
export async function loadPool(read: ReadPool, warn: (what: string, hash: string) => void): Promise<core.MirroredPool> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const loaded = await loadPages(read);
    if (loaded !== null) return mirrorOf(loaded, warn);
  }
  const reply = await read('all', '0', allItems);
  const [head, blocks, pending, flight, log, tags] = reply.slice(6) as LoadedPage[] as SixPages;
  const txStates = [pending, flight];
  return mirrorOf({ position: positionOf(reply), head, blocks: [blocks], txStates, log: [log], tags: [tags] }, warn);
}
type SixPages = [LoadedPage, LoadedPage, LoadedPage, LoadedPage, LoadedPage, LoadedPage];

/** Loads all pages. Returns `null` if the pool changed meanwhile. */
export async function loadPages(read: ReadPool): Promise<LoadedPool | null> {
  const reply = await read('head', '0', 1);
  const position = positionOf(reply);
  const pages = { blocks: [], pending: [], flight: [], log: [], tags: [] } as Record<
    keyof typeof pageItems,
    LoadedPage[]
  >;
  for (const what of Object.keys(pageItems) as (keyof typeof pageItems)[]) {
    for (let after = '0'; after !== ''; ) {
      const next = await read(what, after, pageItems[what]);
      if (!core.samePosition(position, positionOf(next))) return null;
      const page = next[6] as LoadedPage;
      pages[what].push(page);
      after = String(page[0]);
    }
  }
  const { pending, flight, ...others } = pages;
  return { position, head: reply[6] as LoadedPage, txStates: [...pending, ...flight], ...others };
}

export function positionOf([epoch, version, stamp]: Reply<'load'>): core.PoolPosition {
  return { epoch: String(epoch), version, stamp: String(stamp) };
}

/** The limits of a priority pool. */
export function limitsOf({ head }: LoadedPool): Limits {
  const [, , , , , , , , , , , limits] = head as unknown as Head;
  return core.decodeLimits(String(limits));
}

function mirrorOf(loaded: LoadedPool, warn: (what: string, hash: string) => void): core.MirroredPool {
  const head = loaded.head as unknown as Head;
  const [, , , , , , , , maxFinalized, maxRollback] = head;
  return new core.MirroredPool({
    position: loaded.position,
    retention: { maxFinalized, maxRollback },
    limits: limitsOf(loaded),
    records: recordsOf(loaded, warn),
  });
}

/** Yields the records of a loaded pool. It reports damaged ones to `warn` and replaces them by harmless substitutes (M2). */
export function* recordsOf(loaded: LoadedPool, warn: (what: string, hash: string) => void): Generator<core.PoolRecord> {
  const head = loaded.head as unknown as Head;
  const reader = new RecordReader(loaded, warn);
  const [, , tick, floor, lastSeq, logSeq, logFirst, eventSeq, , , gossip, , lastAt] = head;
  yield { kind: 'base', tick, floor, lastSeq, trimmedLog: logFirst - 1, trimmedEvents: eventSeq, lastAt };
  for (const item of itemsOf<BlockItem>(loaded.blocks)) yield* reader.block(item);
  for (const item of itemsOf<LiveItem>(loaded.txStates)) yield* reader.live(item);
  const log = itemsOf<LogItem>(loaded.log);
  if (logFirst - 1 + log.length !== logSeq)
    throw new MempoolError('ERR_MEMPOOL_CORRUPT', 'the log is not as long as its numbers say');
  for (const item of log) yield reader.end(item);
  for (const entry of reader.entries) yield { kind: 'entry', entry };
  yield { kind: 'gossip', lastGossipSeq: Number(gossip) };
  for (const page of loaded.tags) yield* tagRecords(page);
}

function itemsOf<Item>(pages: readonly LoadedPage[]): Item[] {
  return pages.flatMap(([, ...items]) => items as Item[]);
}

/** A tag may come twice (HSCAN). */
function* tagRecords([, ...items]: LoadedPage): Generator<core.PoolRecord> {
  for (let i = 0; i < items.length; i += 2)
    yield { kind: 'satisfied', tag: String(items[i]), tick: Number(items[i + 1]) };
}

class RecordReader {
  readonly entries: core.Entry[] = [];
  readonly #warn: (what: string, hash: string) => void;
  readonly #tick: number;
  /** Hashes with a body: the live ones, and those of the latest log entries. */
  readonly #known = new Set<string>();

  constructor({ head, txStates, log }: LoadedPool, warn: (what: string, hash: string) => void) {
    this.#warn = warn;
    this.#tick = (head as unknown as Head)[2];
    for (const [hash] of itemsOf<LiveItem>(txStates)) this.#known.add(core.bytesToHash(hash));
    for (const [, , owner] of itemsOf<LogItem>(log)) if (owner !== undefined) this.#known.add(core.bytesToHash(owner));
  }

  *block([tick, block, sighted]: BlockItem): Generator<core.PoolRecord> {
    // Damaged blocks are skipped: the verbs that need a point read the stored one.
    if (block === null || block.length < core.pointBytes) return;
    const point = core.decodePoint(block.subarray(0, core.pointBytes));
    yield { kind: 'block', block: { tick, point, sighted: sighted.map(core.bytesToHash) } };
  }

  *live([bytes, seqText, score, point, record, notBefore]: LiveItem): Generator<core.PoolRecord> {
    const [hash, seq] = [core.bytesToHash(bytes), Number(seqText)];
    const place = score === null ? null : decodeScore(score);
    const [facts, entry] = splitEntry(record);
    const known = place !== null && isLive(place.stage) ? { ...place, stage: place.stage } : null;
    const at = point.length === core.pointBytes ? core.decodePoint(point) : null;
    if (known === null || (known.stage === 'Confirmed' && at === null)) this.#warn('place', hash);
    const { stage, number } = known ?? { stage: 'Propagated', number: this.#tick };
    const held = notBefore === null || notBefore === undefined ? undefined : Number(notBefore);
    const txState =
      stage === 'Pending' ? core.pendingState(hash, seq, held, facts) : core.live(hash, seq, stage, number, facts);
    yield { kind: 'write', write: { after: txState, point: at, body: core.mirroredBody(hash) } };
    this.#read(hash, seq, entry);
  }

  /** Returns the write of one log entry. It has a body if it is the latest state of its hash. */
  end([number, bytes, owner, record = null, code]: LogItem): core.PoolRecord {
    const read = decodeLogEntry(bytes);
    const hash = owner === undefined ? null : core.bytesToHash(owner);
    const intact = read !== null && (hash === null || read.hash === hash);
    const { point, at, ...after } = intact ? endOf(read) : lostEnd(hash ?? `lost:${number}`, code);
    if (!intact) this.#warn('log entry', after.hash);
    if (hash !== null) this.#read(hash, after.seq, splitEntry(record)[1]);
    const isLatest = hash !== null || !this.#known.has(after.hash);
    return { kind: 'write', write: { after, point, body: isLatest ? core.mirroredBody(after.hash) : null }, at };
  }

  #read(hash: string, seq: number, record: Buffer | null): void {
    this.entries.push(core.storedEntry({ hash, seq, bytes: 0 }, record, () => this.#warn('entry', hash)));
  }
}

/** The facts in front of an entry (`wholeEntry` of lua/pool/entry.lua), and the entry. */
function splitEntry(record: Buffer | null): [facts: core.Facts, entry: Buffer | null] {
  if (record === null || record[0] !== 0) return [core.noFacts, record];
  return [decodeFacts(record.subarray(1, 1 + endBytes)), record.subarray(1 + endBytes)];
}

function endOf({ receivedAt, attempts, ...end }: NonNullable<ReturnType<typeof decodeLogEntry>>) {
  return { ...end, facts: { receivedAt, attempts, sentAt: null } };
}

/** In place of a damaged log entry. If the index says that it was Finalized, it stays Finalized. */
function lostEnd(hash: string, code: number | undefined) {
  const txState = core.lostEnd(hash, 0);
  if (knownStages[code ?? -1] !== 'Finalized') return { ...txState, point: null, at: null };
  return { ...txState, stage: 'Finalized' as const, tick: 0, reason: null, point: null, at: null };
}
