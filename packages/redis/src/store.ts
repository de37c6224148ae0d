import { randomBytes } from 'node:crypto';
import {
  type ChainPoint,
  type CheckedBlock,
  type ConfirmOutcome,
  corrupt,
  cutPage,
  type DriverOptions,
  decodePoint,
  type EventPage,
  encodePoint,
  hashToBytes,
  isMempoolError,
  type LogPage,
  type MoveVerb,
  maxPageBytes,
  type ReadContext,
  type ReceiveOutcome,
  type RollbackOutcome,
  type StoreDriver,
  type StoredTransaction,
  type TipAnswer,
  type Transaction,
  type TransactionStatus,
  type Usage,
  type WriteContext,
} from 'mempool-core';
import { handedOut, readPoint, readRows, readStatus, readTip } from './answer.ts';
import { type Argument, Connection } from './connection.ts';
import { EventLog } from './event-log.ts';
import type { RedisOptions } from './options.ts';
import { createPool } from './pool.ts';
import { encodeRecord, packHashes, readEntry, unpackHashes } from './record.ts';
import { asBytes, asBytesOrNull, asList, asNumber, asText, type Reply } from './reply.ts';
import { saysCode } from './reply-error.ts';
import { type Keys, type Script, scripts } from './script.ts';

const duplicateStages = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'] as const;

/** One node's view of a pool on Redis: each verb is one script. */
export class RedisStore implements StoreDriver {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #options: DriverOptions & RedisOptions;
  readonly #events: EventLog;
  /** Begins the ids of calls whose caller named none; with a counter behind it, unique in the pool. */
  readonly #node: string = randomBytes(9).toString('base64');
  #calls = 0;

  constructor(connection: Connection, keys: Keys, options: DriverOptions & RedisOptions) {
    this.#connection = connection;
    this.#keys = keys;
    this.#options = options;
    this.#events = new EventLog({
      readPage: (after, limit) => this.#read(scripts.events, [after, limit], undefined),
      connect: () => new Connection(options),
      key: keys.events,
    });
  }

  async receive(transactions: readonly Transaction[], context: WriteContext): Promise<ReceiveOutcome[]> {
    const packed = packHashes(transactions.map(({ hash }) => hash));
    const { finalizeThreshold } = this.#options.thresholds;
    const args = [kept(packed, context), threshold(finalizeThreshold), packed, ...transactions.map(encodeRecord)];
    const [letters, first, recorded] = asList(await this.#write(scripts.receive, 'receive', args, context));
    const hashes = named(recorded, () => transactions.map(({ hash }) => hash));
    let seq = asNumber(first);
    return Array.from(asText(letters), (letter, i): ReceiveOutcome => {
      const hash = hashes[i] as string;
      const stage = duplicateStages[Number(letter)];
      if (stage !== undefined) return { kind: 'duplicate', hash, stage };
      return { kind: 'received', hash, seq: seq++, stage: letter === 'c' ? 'Confirmed' : 'Pending' };
    });
  }

  move(verb: MoveVerb, hashes: readonly string[], context: WriteContext): Promise<string[]> {
    const packed = packHashes(hashes);
    return this.#selected(scripts.move, verb, hashes, [kept(packed, context), packed], context);
  }

  drop(hashes: readonly string[], reason: string, context: WriteContext): Promise<string[]> {
    const packed = packHashes(hashes);
    return this.#selected(scripts.drop, 'drop', hashes, [kept(packed, context), reason, packed], context);
  }

  async confirm(block: CheckedBlock, context: WriteContext): Promise<ConfirmOutcome> {
    const { finalizeThreshold, dropThreshold } = block.thresholds;
    const args = [
      encodePoint(block.point),
      block.parent === null ? '' : hashToBytes(block.parent),
      threshold(finalizeThreshold),
      threshold(dropThreshold),
      packHashes(block.seen),
      packHashes(block.unseen),
    ];
    const reply = asList(await this.#write(scripts.confirm, 'confirm', args, context));
    const kind = asText(reply[0]) as ConfirmOutcome['kind'];
    const tip = readTip(reply[1], reply[2]);
    if (kind !== 'applied') return { kind, tip };
    const [confirmed, returned, finalized, dropped] = reply.slice(3).map(asNumber) as [number, number, number, number];
    return { kind, tip, confirmed, returned, finalized, dropped };
  }

  async rollback(point: ChainPoint | null, context: WriteContext): Promise<RollbackOutcome> {
    const args = [point === null ? '' : encodePoint(point)];
    const reply = asList(await this.#write(scripts.rollback, 'rollback', args, context));
    const kind = asText(reply[0]) as RollbackOutcome['kind'];
    const tip = readTip(reply[1], reply[2]);
    switch (kind) {
      case 'unchanged':
        return { kind, tip };
      case 'unknown-point':
        return { kind, tip, oldest: readPoint(asBytes(reply[3])) };
      case 'rolled-back':
        return { kind, tip, undone: asNumber(reply[3]), returned: asNumber(reply[4]) };
    }
  }

  peekPending(after: number, limit: number, context: ReadContext): Promise<StoredTransaction[]> {
    return this.#peek('pending', after, limit, context);
  }

  peekInflight(after: number, limit: number, context: ReadContext): Promise<StoredTransaction[]> {
    return this.#peek('inflight', after, limit, context);
  }

  async findInflight(hashes: readonly string[], context: ReadContext): Promise<(StoredTransaction | null)[]> {
    if (hashes.length === 0) return [];
    const found = readRows(await this.#read(scripts.find, [packHashes([...new Set(hashes)])], context.signal));
    const damaged = found.find(({ intact }) => !intact);
    if (damaged !== undefined) throw corrupt(damaged);
    const byHash = new Map(found.map((row) => [row.hash, row]));
    return hashes.map((hash) => handedOut(byHash.get(hash)));
  }

  async checkStatus(hashes: readonly string[], context: ReadContext): Promise<TransactionStatus[]> {
    if (hashes.length === 0) return [];
    const reply = asList(await this.#read(scripts.status, [packHashes(hashes)], context.signal));
    const tick = asNumber(reply[0]);
    return hashes.map((hash, i) => readStatus(hash, tick, asBytesOrNull(reply[2 * i + 1]), reply[2 * i + 2]));
  }

  async dumpFinalized(cursor: number, limit: number, context: ReadContext): Promise<LogPage> {
    const reply = asList(await this.#read(scripts.dump, [cursor, limit, maxPageBytes], context.signal));
    const [oldest, last, first] = reply.slice(0, 3).map(asNumber) as [number, number, number];
    const rows: ReturnType<typeof readEntry>[] = [];
    for (let i = 3; i < reply.length; i += 2)
      rows.push(readEntry(first + rows.length, asBytesOrNull(reply[i]), asBytesOrNull(reply[i + 1])));
    const page = cutPage(rows, ({ intact }) => intact);
    const next = (page.at(-1)?.logSeq ?? last) + 1;
    return {
      entries: page.map(({ intact: _, ...entry }) => entry),
      cursor: next,
      hasMore: next <= last,
      missed: cursor === 0 ? 0 : Math.max(0, oldest - cursor),
    };
  }

  async tip(points: number, context: ReadContext): Promise<TipAnswer> {
    const [tip, tick, list] = asList(await this.#read(scripts.tip, [points], context.signal));
    return { ...readTip(tip, tick), points: asList(list).map((point) => decodePoint(asBytes(point))) };
  }

  async usage(context: ReadContext): Promise<Usage> {
    const counts = asList(await this.#read(scripts.usage, [], context.signal)).map(asNumber);
    const [pending = 0, propagated = 0, acknowledged = 0, confirmed = 0, ...newest] = counts;
    const [firstLogSeq = 1, lastLogSeq = 0, lastSeq = 0, lastEventSeq = 0] = newest;
    const logged = lastLogSeq - firstLogSeq + 1;
    return { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq };
  }

  readEvents(after: number, limit: number): Promise<EventPage> {
    return this.#events.readEvents(after, limit);
  }

  onEvents(listener: () => void): () => void {
    return this.#events.onEvents(listener);
  }

  close(): void {
    this.#events.close();
    this.#connection.close();
  }

  async #peek(which: string, after: number, limit: number, { signal }: ReadContext): Promise<StoredTransaction[]> {
    const rows = readRows(await this.#read(scripts.peek, [which, after, limit, maxPageBytes], signal));
    return cutPage(rows, ({ intact }) => intact).map((row) => handedOut(row) as StoredTransaction);
  }

  /** The verbs that answer with the hashes they changed. */
  async #selected(
    script: Script,
    verb: string,
    hashes: readonly string[],
    args: readonly Argument[],
    context: WriteContext,
  ): Promise<string[]> {
    const [digits, recorded] = asList(await this.#write(script, verb, args, context));
    const chosen = asBytes(digits);
    return named(recorded, () => hashes).filter((_, i) => chosen[i] === 0x31);
  }

  #read(script: Script, args: readonly Argument[], signal: AbortSignal | undefined): Promise<Reply> {
    return this.#run(script, this.#keys.named, args, signal);
  }

  /** X2: a call without an id gets one of ours, so that a repeat after a lost answer is told the first one's outcome. */
  #write(
    script: Script,
    verb: string,
    args: readonly Argument[],
    { operationId, signal }: WriteContext,
  ): Promise<Reply> {
    if (operationId !== undefined) return this.#run(script, this.#keys.named, [operationId, verb, ...args], signal);
    this.#calls += 1;
    return this.#run(script, this.#keys.own, [`${this.#node}${this.#calls}`, verb, ...args], signal);
  }

  /** A pool that is gone (a flush, a restart without persistence) is made anew; a key of another type is named by the same script. */
  async #run(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    try {
      return await this.#connection.run(script, keys, args, signal);
    } catch (error) {
      if (isMempoolError(error) || !(saysCode(error, 'MEMPOOL_GONE') || saysCode(error, 'WRONGTYPE'))) throw error;
      await createPool(this.#connection, this.#keys, this.#options);
      return this.#connection.run(script, keys, args, signal);
    }
  }
}

/** With an id of the caller's the hashes are recorded too, as a repeat may come with others. */
function kept(packed: Uint8Array, { operationId }: WriteContext): Argument {
  return operationId === undefined ? '' : packed;
}

function named(recorded: Reply | undefined, given: () => readonly string[]): readonly string[] {
  const packed = asBytes(recorded);
  return packed.length === 0 ? given() : unpackHashes(packed);
}

function threshold(value: number): string {
  return Number.isFinite(value) ? String(value) : 'inf';
}
