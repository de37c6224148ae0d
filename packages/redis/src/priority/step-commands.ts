import { isInflight, isLive } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/script-call.ts';
import { Commands } from '../pool/commands.ts';
import type { Item } from '../pool/packed.ts';
import { BodyRecord, encodeLogEntry, markedEntry, seqHead } from '../pool/record.ts';
import { encodeScore } from '../pool/score.ts';

export interface StepCommands {
  /** Hash, record, hash … as separate arguments, because the server would copy packed payloads twice more. */
  readonly bodies: readonly Argument[];
  readonly commands: Commands;
  /** Ticks that are no longer kept. Their points are deleted, unless a Confirmed transaction refers to them (L12). */
  readonly idleTicks: string;
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
  /** Caches the bytes of hashes, because a hash is in several commands. */
  readonly #bytes = new Map<string, Buffer>();
  /** Numbers of the new log entries by hash. */
  readonly #ends = new Map<string, number>();
  /** First and last number of the log after the step. */
  readonly #logFirst: number;
  readonly #logLast: number;
  /** Hashes that leave the pool with their last log entry. */
  readonly #gone: ReadonlySet<string>;
  readonly #floor: number;

  constructor(mirror: Mirror, { step, entries, entryBefore }: WrittenStep) {
    this.#mirror = mirror;
    this.#step = step;
    this.#entries = entries;
    this.#entryBefore = entryBefore;
    const { memory } = mirror.pool;
    let last = memory.lastLogSeq;
    for (const { after } of step.writes) if (!isLive(after.stage)) this.#ends.set(after.hash, ++last);
    this.#logLast = last;
    this.#logFirst = Math.max(memory.firstLogSeq, last - memory.retention.maxFinalized + 1);
    this.#gone = this.#findGone();
    this.#floor = step.chain?.kind === 'applied' ? step.chain.floor : memory.floor;
  }

  /** Returns the commands. Those that need memory come first, after the bodies, so that a full server refuses before any write (M3). */
  write(): StepCommands {
    this.#addEntries();
    this.#addPlaces();
    this.#addLog();
    this.#addTags();
    this.#addChain();
    this.#addNumbers();
    const gone = Array.from(this.#gone, (hash) => this.#bytesOf(hash));
    for (const key of ['idx', 'body', 'entries'] as const)
      this.#commands.add(key === 'idx' ? 'ZREM' : 'HDEL', key, gone);
    return { bodies: this.#bodies(), commands: this.#commands, idleTicks: this.#idleTicks().join(' ') };
  }

  #bytesOf(hash: string): Buffer {
    const known = this.#bytes.get(hash);
    if (known !== undefined) return known;
    const bytes = core.hashToBytes(hash);
    this.#bytes.set(hash, bytes);
    return bytes;
  }

  #findGone(): Set<string> {
    const txStates = this.#step.writes.filter(({ after }) => isLive(after.stage)).map(({ after }) => after.hash);
    const alive = new Set(txStates);
    const ended = this.#mirror.pool.memory.endedBefore(this.#logFirst);
    const gone = new Set(ended.filter((hash) => !alive.has(hash) && !this.#ends.has(hash)));
    for (const [hash, number] of this.#ends) if (number < this.#logFirst) gone.add(hash);
    return gone;
  }

  #bodies(): Argument[] {
    const bodies: Argument[] = [];
    for (const { body } of this.#step.writes)
      if (body !== null && !this.#gone.has(body.hash)) bodies.push(this.#bytesOf(body.hash), new BodyRecord(body));
    return bodies;
  }

  /** The entries that the step changes, and those whose transactions go out. */
  #addEntries(): void {
    const { memory } = this.#mirror.pool;
    const facts = new Map<string, core.Facts>();
    for (const { after } of this.#step.writes) facts.set(after.hash, after.facts);
    const items: Item[] = [];
    const add = (hash: string, entry: Buffer): void => {
      const known = facts.get(hash) ?? memory.txState(hash)?.facts ?? core.noFacts;
      items.push(this.#bytesOf(hash), markedEntry(core.factsAt(known, timeOfCall), entry));
    };
    const changed = new Set<string>();
    for (const [i, { hash }] of (this.#step.pool?.entries ?? []).entries()) {
      changed.add(hash);
      if (!this.#gone.has(hash)) add(hash, this.#entries[i] as Buffer);
    }
    for (const { after } of this.#step.writes) {
      const entry = after.facts.sentAt === 0 && !changed.has(after.hash) ? this.#entryBefore(after.hash) : undefined;
      if (entry !== undefined) add(after.hash, core.encodeEntry(entry));
    }
    this.#commands.add('HSET', 'entries', items);
  }

  #addPlaces(): void {
    const { memory } = this.#mirror.pool;
    const [index, joined, left]: [Item[], Item[], Item[]] = [[], [], []];
    const [held, woken]: [Item[], Item[]] = [[], []];
    for (const { after } of this.#step.writes) {
      const hash = this.#bytesOf(after.hash);
      if (!this.#gone.has(after.hash)) index.push(this.#encodeScore(after), hash);
      const before = memory.txState(after.hash);
      const flew = before !== null && isInflight(before.stage);
      const flies = isInflight(after.stage);
      // A transaction in flight may end and be received again in one call, with a new seq.
      if (flies && !(flew && before.seq === after.seq)) joined.push(String(after.seq), hash);
      if (flew && !flies) left.push(hash);
      // P20: as members that lua/pool/lists.lua makes.
      const entry = this.#entryBefore(after.hash);
      if (entry?.notBefore !== undefined) woken.push(Buffer.concat([seqHead(entry.seq), hash]));
      if (after.notBefore !== undefined) held.push(String(after.notBefore), Buffer.concat([seqHead(after.seq), hash]));
    }
    this.#commands.add('ZADD', 'idx', index);
    this.#commands.add('ZADD', 'flight', joined);
    this.#commands.add('ZREM', 'flight', left);
    this.#commands.add('ZREM', 'held', woken);
    this.#commands.add('ZADD', 'held', held);
  }

  #encodeScore({ hash, seq, stage, tick, notBefore }: core.TxState): string {
    const number = isLive(stage) ? (stage === 'Pending' ? seq : tick) : (this.#ends.get(hash) as number);
    return encodeScore({ stage, number }, seq, notBefore !== undefined);
  }

  #addLog(): void {
    const items: Item[] = [];
    for (const write of this.#step.writes) {
      const number = this.#ends.get(write.after.hash);
      if (number === undefined || number < this.#logFirst) continue;
      const facts = core.factsAt(write.after.facts, timeOfCall);
      items.push(String(number), encodeLogEntry({ ...write, after: { ...write.after, facts } }, timeOfCall));
    }
    this.#commands.add('HSET', 'log', items);
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
    const born = writes.filter(({ body }) => body !== null).map(({ after }) => after.seq);
    const tick = chain?.tick ?? memory.currentTip.tick;
    const point = chain?.kind === 'applied' ? chain.point : memory.pointAt(tick);
    const fields = {
      seq: Math.max(memory.lastSeq, ...born),
      tick,
      floor: this.#floor,
      logSeq: this.#logLast,
      logFirst: this.#logFirst,
      gossipSeq: pool?.lastGossipSeq ?? index.lastGossipSeq,
    };
    const items: Item[] = Object.entries(fields).flatMap(([field, value]) => [field, String(value)]);
    items.push('tip', point === null ? '' : core.encodePoint(point));
    if (pool?.limits) items.push('limits', core.encodeLimits(pool.limits));
    this.#commands.add('HSET', 'meta', items);
  }

  #idleTicks(): string[] {
    const { memory } = this.#mirror.pool;
    const ticks = new Set(numbers(memory.floor, this.#floor - 1));
    for (const { after } of this.#step.writes) {
      const before = memory.txState(after.hash);
      if (before?.stage === 'Confirmed' && before.tick < this.#floor) ticks.add(String(before.tick));
    }
    return [...ticks];
  }
}

/** In place of the time of the call, which lua/priority/commit.lua sets. */
const timeOfCall = 2 ** 48 - 1;

function numbers(first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => String(first + i));
}
