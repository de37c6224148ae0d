import { isInflight, isLive } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import { Commands } from '../pool/commands.ts';
import type { Packable } from '../pool/packed.ts';
import { bodyRecord, encodeLogEntry, markedEntry, openLogEntry, seqHead } from '../pool/record.ts';
import { placeScore } from '../pool/score.ts';

export interface StepCommands {
  /** Hash, record, hash … as separate arguments, because the server would copy packed payloads twice more. */
  readonly bodies: readonly Argument[];
  readonly commands: Commands;
  /** Ticks that are no longer kept. Their points are deleted, unless a Confirmed transaction refers to them (L12). */
  readonly idleTicks: readonly string[];
}

/** A step that was planned on the mirror in its present state. */
export interface WrittenStep {
  readonly step: core.Step<unknown>;
  /** The encoded entries of the step. */
  readonly entries: readonly Buffer[];
  /** The entry of a transaction before the step. */
  readonly entryBefore: EntryBefore;
}
export type EntryBefore = (hash: string) => core.Entry | undefined;
type Mirror = Pick<core.MirroredPool, 'pool'>;

/** Returns the commands that write a step to the server. */
export function stepCommands(mirror: Mirror, written: WrittenStep): StepCommands {
  return new StepWriter(mirror, written).write();
}

class StepWriter {
  readonly #mirror: Mirror;
  readonly #step: core.Step<unknown>;
  readonly #entries: readonly Buffer[];
  readonly #entryBefore: EntryBefore;
  readonly #commands = new Commands();
  /** The places of the writes by hash. */
  readonly #places = new Map<string, number>();
  /** The number of the new log entry of each write; 0 without one. */
  readonly #numbers: number[] = [];
  /** First and last number of the log after the step. */
  readonly #logFirst: number;
  readonly #logLast: number;
  /** Hashes that leave the pool with their last log entry. */
  readonly #gone: readonly string[];
  readonly #floor: number;
  readonly #idleTicks: Set<string>;

  constructor(mirror: Mirror, { step, entries, entryBefore }: WrittenStep) {
    this.#mirror = mirror;
    this.#step = step;
    this.#entries = entries;
    this.#entryBefore = entryBefore;
    const { memory } = mirror.pool;
    let last = memory.lastLogSeq;
    for (const [i, { after }] of step.writes.entries()) {
      this.#places.set(after.hash, i);
      this.#numbers.push(isLive(after.stage) ? 0 : ++last);
    }
    this.#logLast = last;
    this.#logFirst = Math.max(memory.firstLogSeq, last - memory.retention.maxFinalized + 1);
    const ended = memory.endedBefore(this.#logFirst).filter((hash) => !this.#places.has(hash));
    const trimmed = step.writes.filter((_, i) => this.#isTrimmed(i));
    this.#gone = [...ended, ...trimmed.map(({ after }) => after.hash)];
    this.#floor = step.chain?.kind === 'applied' ? step.chain.floor : memory.floor;
    this.#idleTicks = new Set(numbers(memory.floor, this.#floor - 1));
  }

  /** Returns the commands. The ones that need memory come first, after the bodies, so that a full server refuses before any write (M3). */
  write(): StepCommands {
    this.#addEntries();
    this.#addPlaces();
    this.#addLog();
    this.#addTags();
    this.#addChain();
    this.#addNumbers();
    this.#commands.add('forget', 'idx', this.#gone.map(core.hashToBytes));
    return { bodies: this.#bodies(), commands: this.#commands, idleTicks: [...this.#idleTicks] };
  }

  /** Whether the log entry of a write leaves the log in the same step. */
  #isTrimmed(place: number): boolean {
    const number = this.#numbers[place] as number;
    return number > 0 && number < this.#logFirst;
  }

  #bodies(): Argument[] {
    const bodies: Argument[] = [];
    for (const [i, { body }] of this.#step.writes.entries())
      if (body !== null && !this.#isTrimmed(i)) bodies.push(core.hashToBytes(body.hash), bodyRecord(body));
    return bodies;
  }

  /** The entries that the step changes, and the entries whose transactions go out. */
  #addEntries(): void {
    const { writes, pool } = this.#step;
    const [arrived, others]: [Packable[], Packable[]] = [[], []];
    for (const [i, { hash }] of (pool?.entries ?? []).entries()) {
      const facts = this.#factsOf(hash);
      const entry = this.#entries[i] as Buffer;
      if (facts === null) continue;
      if (facts.receivedAt === 0 && facts.attempts === 0) arrived.push(core.hashToBytes(hash), entry);
      else others.push(core.hashToBytes(hash), timedEntry(facts, entry));
    }
    const sent = writes.filter(({ after }) => after.facts.sentAt === 0);
    const changed = new Set(sent.length === 0 ? [] : pool?.entries.map(({ hash }) => hash));
    for (const { after } of sent) {
      const entry = changed.has(after.hash) ? undefined : this.#entryBefore(after.hash);
      if (entry !== undefined)
        others.push(core.hashToBytes(after.hash), timedEntry(after.facts, core.encodeEntry(entry)));
    }
    this.#commands.add('arrived', 'entries', arrived);
    this.#commands.add('timed', 'entries', others);
  }

  /** The facts of a transaction after the step; `null` if it leaves the pool in it. */
  #factsOf(hash: string): core.Facts | null {
    const place = this.#places.get(hash);
    if (place !== undefined)
      return this.#isTrimmed(place) ? null : (this.#step.writes[place] as core.Write).after.facts;
    if (this.#gone.includes(hash)) return null;
    return this.#mirror.pool.memory.txState(hash)?.facts ?? core.noFacts;
  }

  #addPlaces(): void {
    const { memory } = this.#mirror.pool;
    const places: Packable[] = [];
    const [joined, left, held, woken]: [Packable[], Packable[], Packable[], Packable[]] = [[], [], [], []];
    for (const [i, { after }] of this.#step.writes.entries()) {
      const { hash, seq, notBefore } = after;
      if (!this.#isTrimmed(i)) places.push(String(this.#score(after, i)), core.hashToBytes(hash));
      const before = memory.txState(hash);
      const flew = before !== null && isInflight(before.stage);
      const flies = isInflight(after.stage);
      // A transaction in flight may end and be received again in one call, with a new seq.
      if (flies && !(flew && before.seq === seq)) joined.push(String(seq), core.hashToBytes(hash));
      if (flew && !flies) left.push(core.hashToBytes(hash));
      // P20: as members that lua/pool/lists.lua makes.
      if (before?.notBefore !== undefined) woken.push(member(before.seq, hash));
      if (notBefore !== undefined) held.push(String(notBefore), member(seq, hash));
      if (before?.stage === 'Confirmed' && before.tick < this.#floor) this.#idleTicks.add(String(before.tick));
    }
    this.#commands.add('ZADD', 'idx', places);
    this.#commands.add('ZADD', 'flight', joined);
    this.#commands.add('ZREM', 'flight', left);
    this.#commands.add('ZREM', 'held', woken);
    this.#commands.add('ZADD', 'held', held);
  }

  #score({ seq, stage, tick, notBefore }: core.TxState, place: number): number {
    const number = isLive(stage) ? (stage === 'Pending' ? seq : tick) : (this.#numbers[place] as number);
    return placeScore({ stage, number }, seq, notBefore !== undefined);
  }

  #addLog(): void {
    const [ended, others]: [Packable[], Packable[]] = [[], []];
    for (const [i, write] of this.#step.writes.entries()) {
      const number = this.#numbers[i] as number;
      if (number === 0 || number < this.#logFirst) continue;
      const { facts } = write.after;
      if (facts.receivedAt === 0) {
        const after = { ...write.after, facts: core.factsAt(facts, timeOfCall) };
        others.push(String(number), encodeLogEntry({ ...write, after }, timeOfCall));
        continue;
      }
      ended.push(String(number), openLogEntry(write));
    }
    this.#commands.add('ended', 'log', ended);
    this.#commands.add('timed', 'log', others);
    const { firstLogSeq, lastLogSeq } = this.#mirror.pool.memory;
    this.#commands.add('HDEL', 'log', numbers(firstLogSeq, Math.min(this.#logFirst - 1, lastLogSeq)));
  }

  #addTags(): void {
    const { satisfied = [], forgotten = [] } = this.#step.pool ?? {};
    this.#commands.add(
      'HSET',
      'tags',
      satisfied.flatMap(([tag, tick]) => [tag, String(tick)]),
    );
    this.#commands.add('HDEL', 'tags', forgotten);
  }

  #addChain(): void {
    const { chain } = this.#step;
    const { memory } = this.#mirror.pool;
    if (chain === null) return;
    if (chain.kind === 'undone') {
      const undone = numbers(chain.tick + 1, memory.currentTip.tick);
      this.#commands.add('HDEL', 'blocks', [...undone, ...this.#pointsAt(undone)]);
      this.#commands.add('ZREMRANGEBYSCORE', 'seen', [`(${chain.tick}`, '+inf']);
      return;
    }
    const [tick, point] = [String(chain.tick), core.encodePoint(chain.point)];
    const newest = Buffer.alloc(8);
    newest.writeBigUInt64BE(BigInt(this.#logLast));
    this.#commands.add('HSET', 'blocks', [tick, Buffer.concat([point, newest]), point, tick]);
    this.#commands.add('HDEL', 'blocks', this.#pointsAt(numbers(memory.floor, chain.floor - 1)));
    if (chain.floor > memory.floor) this.#commands.add('ZREMRANGEBYSCORE', 'seen', ['-inf', `(${chain.floor}`]);
    this.#commands.add('ZREM', 'seen', chain.unseen.map(core.hashToBytes));
    this.#commands.add(
      'ZADD',
      'seen',
      chain.seen.flatMap((hash) => [tick, core.hashToBytes(hash)]),
      ['NX'],
    );
  }

  #pointsAt(ticks: readonly string[]): Buffer[] {
    const { memory } = this.#mirror.pool;
    return ticks.flatMap((tick) => {
      const point = memory.pointAt(Number(tick));
      return point === null ? [] : [core.encodePoint(point)];
    });
  }

  #addNumbers(): void {
    const { writes, chain, pool } = this.#step;
    const { memory, index } = this.#mirror.pool;
    let seq = memory.lastSeq;
    for (const { after, body } of writes) if (body !== null) seq = Math.max(seq, after.seq);
    const tick = chain?.tick ?? memory.currentTip.tick;
    const point = chain?.kind === 'applied' ? chain.point : memory.pointAt(tick);
    const fields = {
      seq,
      tick,
      floor: this.#floor,
      logSeq: this.#logLast,
      logFirst: this.#logFirst,
      gossipSeq: pool?.lastGossipSeq ?? index.lastGossipSeq,
    };
    const items: Packable[] = Object.entries(fields).flatMap(([field, value]) => [field, String(value)]);
    items.push('tip', point === null ? '' : core.encodePoint(point));
    if (pool?.limits) items.push('limits', core.encodeLimits(pool.limits));
    this.#commands.add('HSET', 'meta', items);
  }
}

/** In place of the time of the call, which lua/priority/commit.lua sets. */
const timeOfCall = 2 ** 48 - 1;

function timedEntry(facts: core.Facts, entry: Buffer): Buffer {
  return markedEntry(core.factsAt(facts, timeOfCall), entry);
}

function member(seq: number, hash: string): Buffer {
  return Buffer.concat([seqHead(seq), core.hashToBytes(hash)]);
}

function numbers(first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => String(first + i));
}
