import { type DumpedPart, defaultLimits, isInflight, isLive, type NamedValue, type Ordering } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { Commands } from './commands.ts';
import * as namedRecord from './named-record.ts';
import { type Item, packLists } from './packed.ts';
import { BodyRecord, encodeLogEntry, FactsTable, markedEntry, packHashes, seqHead } from './record.ts';
import { encodeScore } from './score.ts';

type Write = Extract<DumpedPart, { readonly kind: 'write' }>;
/** The newest log entry after a block is not in a dump. With 0 a rollback looks through the whole log. */
const anyLog = Buffer.alloc(8);
const fewParts = 1_000;

/** The content of a pool (D3), as the arguments of lua/pool/restore-part.lua and restore.lua. */
export class RestoreCommands {
  readonly #ordering: Ordering;
  readonly #meta = new Map<string, Item>();
  #claims: Item[][] = [];
  readonly #points = new Map<number, Buffer>();
  /** Of the live transactions: those of a priority pool until their entry comes. */
  readonly #facts = new Map<string, core.Facts>();
  readonly #table = new FactsTable();
  /** Of the records of the key `body`. */
  #largest = 0;
  #tick = 0;
  #logSeq = 0;

  constructor(ordering: Ordering) {
    this.#ordering = ordering;
  }

  /** Yields packed commands, in parts of some megabytes. */
  *parts(content: readonly DumpedPart[]): Generator<Buffer[], undefined> {
    let commands = new Commands();
    for (const [i, part] of content.entries()) {
      this.#add(commands, part);
      if (i % fewParts < fewParts - 1) continue;
      yield commands.pack();
      commands = new Commands();
    }
    this.#addFacts(commands);
    yield commands.pack();
  }

  /** Returns the fields of `meta` and the claims, which restore.lua needs after all parts. */
  end(): readonly [meta: Buffer, claims: Buffer] {
    this.#meta.set('tip', this.#points.get(this.#tick) ?? '');
    this.#meta.set('logSeq', String(this.#logSeq));
    this.#meta.set('largest', String(this.#largest));
    return [packLists([[...this.#meta].flat()]), packLists(this.#claims)];
  }

  #add(commands: Commands, part: DumpedPart): void {
    switch (part.kind) {
      case 'base':
        this.#addBase(commands, part);
        break;
      case 'block': {
        const { tick, point, sighted } = part.block;
        const bytes = core.encodePoint(point);
        this.#points.set(tick, bytes);
        commands.add('HSET', 'blocks', [String(tick), Buffer.concat([bytes, anyLog]), bytes, String(tick)]);
        commands.add(
          'ZADD',
          'seen',
          sighted.flatMap((hash) => [String(tick), core.hashToBytes(hash)]),
        );
        break;
      }
      case 'write':
        this.#put(commands, part);
        break;
      case 'record':
        this.#addRecord(commands, part.record);
        break;
      case 'version':
        this.#meta.set('recordVersion', String(part.lastVersion));
        break;
      case 'limits':
        this.#meta.set('limits', core.encodeLimits({ ...defaultLimits, ...part.limits }));
        break;
      case 'gossip':
        this.#meta.set('gossipSeq', String(part.lastGossipSeq));
        break;
      case 'satisfied':
        commands.add('HSET', 'tags', [part.tag, String(part.tick)]);
        break;
      case 'entry': {
        const { hash } = part.entry;
        const entry = markedEntry(this.#facts.get(hash) ?? core.noFacts, core.encodeEntry(part.entry));
        commands.add('HSET', 'entries', [core.hashToBytes(hash), entry]);
        break;
      }
    }
  }

  #addRecord(commands: Commands, { name, version, value }: NamedValue): void {
    commands.add('HSET', 'records', [name, namedRecord.encode(Buffer.from(name), version, value)]);
    commands.add('ZADD', 'names', ['0', name]);
    const bytes = Number(this.#meta.get('recordBytes') ?? 0) + Buffer.byteLength(name) + value.length;
    this.#meta.set('recordBytes', String(bytes));
  }

  #addBase(commands: Commands, base: Extract<DumpedPart, { readonly kind: 'base' }>): void {
    const { tick, floor, lastSeq, trimmedLog, lastAt, fifo } = base;
    this.#tick = tick;
    this.#logSeq = trimmedLog;
    const fields = { seq: lastSeq, tick, floor, logFirst: trimmedLog + 1, at: lastAt };
    for (const [name, value] of Object.entries(fields)) this.#meta.set(name, String(value));
    if (!fifo) return;
    if (fifo.maxTxs !== Number.POSITIVE_INFINITY) this.#meta.set('maxTxs', String(fifo.maxTxs));
    const { acceptUntil = Number.POSITIVE_INFINITY } = fifo;
    if (acceptUntil !== Number.POSITIVE_INFINITY) this.#meta.set('acceptUntil', String(acceptUntil));
    for (const { claim, held } of fifo.lots) {
      const hashes = held.map(([hash]) => hash);
      this.#claims.push([claim.id, claim.owner, String(claim.untilMs), packHashes(hashes)]);
      commands.add('HSET', 'claims', [`h${claim.id}`, packHashes(hashes), `n${claim.id}`, String(held.length)]);
      for (const [hash, seq] of held) {
        const bytes = core.hashToBytes(hash);
        commands.add('ZADD', 'leases', [String(claim.untilMs), Buffer.concat([seqHead(seq), bytes])]);
        commands.add('HSET', 'taken', [bytes, claim.id]);
        this.#meta.set('leases', '1');
      }
    }
  }

  #put(commands: Commands, { write: { after, point, body }, at = 0 }: Write): void {
    const { seq, stage, tick, notBefore, facts } = after;
    const hash = core.hashToBytes(after.hash);
    if (body !== null) {
      const record = bytesOf(new BodyRecord(body));
      this.#largest = Math.max(this.#largest, record.length);
      commands.add('HSET', 'body', [hash, record]);
      this.#facts.set(after.hash, facts);
    }
    if (isLive(stage)) {
      if (this.#ordering === 'fifo') this.#table.set(seq, facts);
      const place = { stage, number: stage === 'Pending' ? seq : tick };
      commands.add('ZADD', 'idx', [encodeScore(place, seq, notBefore !== undefined), hash]);
      if (notBefore !== undefined) {
        commands.add('ZADD', 'held', [String(notBefore), Buffer.concat([seqHead(seq), hash])]);
        if (this.#ordering === 'fifo') this.#meta.set('held', '1');
      }
      if (isInflight(stage)) commands.add('ZADD', 'flight', [String(seq), hash]);
      // A point stays as long as a Confirmed transaction refers to it (L12).
      if (point !== null && !this.#points.has(tick))
        commands.add('HSET', 'blocks', [String(tick), Buffer.concat([core.encodePoint(point), anyLog])]);
      return;
    }
    this.#logSeq += 1;
    commands.add('HSET', 'log', [String(this.#logSeq), encodeLogEntry({ after, point }, at)]);
    if (body !== null) commands.add('ZADD', 'idx', [encodeScore({ stage, number: this.#logSeq }, seq, false), hash]);
  }

  /** Those of a fifo pool. */
  #addFacts(commands: Commands): void {
    const { fields, sent } = this.#table.items();
    commands.add('HSET', 'facts', fields);
    commands.add('ZADD', 'sent', sent);
    if (fields.length > 0) this.#meta.set('facts', '1');
  }
}

function bytesOf(record: BodyRecord): Buffer {
  const bytes = Buffer.alloc(record.length);
  record.writeTo(bytes, 0);
  return bytes;
}
