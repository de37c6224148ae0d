import { defaultLimits, isInflight, type NamedValue, type Ordering } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { Commands } from './commands.ts';
import * as namedRecord from './named-record.ts';
import { type Packable, pack } from './packed.ts';
import { bodyRecord, encodeFacts, encodeLogEntry, markedEntry, seqHead } from './record.ts';
import { encodeScore } from './score.ts';

/** An import does not have the newest log entry after a block. With 0 a rollback looks through the whole log. */
const anyLog = Buffer.alloc(8);

/** A page of an import, as the arguments of lua/pool/import.lua. */
export class ImportCommands {
  readonly #ordering: Ordering;
  readonly #commands = new Commands();
  readonly #meta = new Map<string, Packable>();
  #largest = 0;
  #recordBytes = 0;

  constructor(ordering: Ordering, parts: readonly core.PoolPart[]) {
    this.#ordering = ordering;
    for (const part of parts) this.#add(part);
  }

  /** Returns the arguments from the eighth on. `stamp` is new. */
  pack(stamp: string): (string | number | Buffer)[] {
    return [
      this.#largest,
      this.#recordBytes,
      stamp,
      pack({ meta: [...this.#meta].flat(), commands: this.#commands.list }),
    ];
  }

  #add(part: core.PoolPart): void {
    switch (part.kind) {
      case 'start':
        break;
      case 'live':
        this.#addLive(part);
        break;
      case 'ended':
        this.#addEnded(part);
        break;
      case 'block': {
        const { tick, sighted } = part;
        const point = core.encodePoint(part.point);
        this.#commands.add('HSET', 'blocks', [String(tick), Buffer.concat([point, anyLog]), point, String(tick)]);
        const seen = sighted.flatMap((hash) => [String(tick), core.hashToBytes(hash)]);
        this.#commands.add('ZADD', 'seen', seen);
        break;
      }
      case 'numbers':
        this.#addNumbers(part);
        break;
      case 'satisfied':
        this.#commands.add('HSET', 'tags', [part.tag, String(part.tick)]);
        break;
      case 'record':
        this.#addRecord(part.record);
        break;
      case 'finish':
        if (part.lastVersion > 0) this.#meta.set('recordVersion', String(part.lastVersion));
        break;
    }
  }

  #addLive({ state, point, body, entry }: core.LivePart): void {
    const { seq, stage, tick, notBefore, facts } = state;
    const hash = core.hashToBytes(state.hash);
    this.#addBody(hash, body, facts, entry);
    if (this.#ordering === 'fifo') this.#addFacts(hash, seq, facts);
    const number = stage === 'Pending' ? seq : tick;
    this.#commands.add('ZADD', 'idx', [encodeScore({ stage, number }, seq, notBefore !== undefined), hash]);
    if (notBefore !== undefined) {
      this.#commands.add('ZADD', 'held', [String(notBefore), Buffer.concat([seqHead(seq), hash])]);
      if (this.#ordering === 'fifo') this.#meta.set('held', '1');
    }
    if (isInflight(stage)) this.#commands.add('ZADD', 'flight', [String(seq), hash]);
    // A point stays as long as a Confirmed transaction refers to it (L12).
    if (point !== null)
      this.#commands.add('HSET', 'blocks', [String(tick), Buffer.concat([core.encodePoint(point), anyLog])]);
  }

  #addEnded({ logSeq, state, point, body, entry, at, late }: core.EndedPart): void {
    const { seq, stage } = state;
    const hash = core.hashToBytes(state.hash);
    if (late) {
      const member = Buffer.concat([seqHead(seq), hash]);
      this.#commands.add('ZREM', 'flight', [hash]);
      this.#commands.add('HDEL', 'facts', [hash]);
      for (const key of ['held', 'sent'] as const) this.#commands.add('ZREM', key, [member]);
    }
    this.#commands.add('HSET', 'log', [String(logSeq), encodeLogEntry({ after: state, point }, at)]);
    if (body === null) return;
    this.#addBody(hash, body, state.facts, entry);
    this.#commands.add('ZADD', 'idx', [encodeScore({ stage, number: logSeq }, seq, false), hash]);
  }

  #addBody(hash: Buffer, body: core.Body, facts: core.Facts, entry: core.Entry | null): void {
    const record = bodyRecord(body);
    this.#largest = Math.max(this.#largest, record.length);
    this.#commands.add('HSET', 'body', [hash, record]);
    if (entry !== null) this.#commands.add('HSET', 'entries', [hash, markedEntry(facts, core.encodeEntry(entry))]);
  }

  #addNumbers({ tip, floor, lastSeq, lastLogSeq, lastAt, lastGossipSeq, limits, retention }: core.NumbersPart): void {
    const numbers = { seq: lastSeq, tick: tip.tick, floor, logSeq: lastLogSeq, at: lastAt, ...retention };
    for (const [name, value] of Object.entries(numbers)) this.#meta.set(name, String(value));
    this.#meta.set('tip', tip.point === null ? '' : core.encodePoint(tip.point));
    if (this.#ordering === 'priority') {
      this.#meta.set('limits', core.encodeLimits({ ...defaultLimits, ...limits }));
      this.#meta.set('gossipSeq', String(lastGossipSeq));
      return;
    }
    const { maxTxs = Number.POSITIVE_INFINITY } = limits;
    if (maxTxs !== Number.POSITIVE_INFINITY) this.#meta.set('maxTxs', String(maxTxs));
  }

  #addRecord({ name, version, value }: NamedValue): void {
    this.#commands.add('HSET', 'records', [name, namedRecord.encode(Buffer.from(name), version, value)]);
    this.#commands.add('ZADD', 'names', ['0', name]);
    this.#recordBytes += Buffer.byteLength(name) + value.length;
  }

  #addFacts(hash: Buffer, seq: number, facts: core.Facts): void {
    const { receivedAt, attempts, sentAt } = facts;
    if (receivedAt === null && attempts === 0) return;
    this.#commands.add('HSET', 'facts', [hash, encodeFacts(facts)]);
    this.#meta.set('facts', '1');
    if (sentAt === null) return;
    this.#commands.add('ZADD', 'sent', [String(sentAt), Buffer.concat([seqHead(seq), hash])]);
    this.#meta.set('sent', '1');
  }
}
