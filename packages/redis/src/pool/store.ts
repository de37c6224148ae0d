import { randomBytes } from 'node:crypto';
import * as core from 'mempool-core';
import { Connection, type RunContext } from '../connection/connection.ts';
import type { RedisOptions } from '../connection/options.ts';
import { keysOf, leaseKeysOf, type Reply, rankedKeysOf, type Verb } from '../connection/script.ts';
import type { Argument } from '../connection/script-call.ts';
import { EventLog } from './event-log.ts';
import * as record from './record.ts';

const duplicateStages = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'] as const;

/** What a node has opened. */
export interface Node {
  readonly connection: Connection;
  /** Of the keys, in its braces. */
  readonly prefix: string;
  readonly options: core.DriverOptions & RedisOptions;
  /** Makes the pool where there is none. @throws `ERR_MEMPOOL_INCOMPATIBLE` for a key that is not ours */
  createPool(timeoutMs: number): Promise<unknown>;
}

/** One node's view of a pool on Redis: each verb is one script. */
export class RedisStore implements core.StoreDriver {
  readonly #node: Node;
  readonly #events: EventLog;
  /** Begins the ids of calls whose caller named none; with a counter behind it, unique in the pool. */
  readonly #id: string = randomBytes(9).toString('base64');
  readonly #behind: (() => Promise<unknown>) | undefined;
  #calls = 0;

  /** `behind`: resolves when the writes that a read is to see have ended, where this store makes none itself. */
  constructor(node: Node, behind?: () => Promise<unknown>) {
    this.#node = node;
    this.#behind = behind;
    this.#events = new EventLog({
      readPage: (after, limit, marks) => this.#run('events', 'ops', [after, limit, ...marks], {}),
      connect: () => new Connection(node.options),
      key: `${node.prefix}:events`,
    });
  }

  async receive(given: readonly core.Transaction[], context: core.WriteContext): Promise<core.ReceiveOutcome[]> {
    const hashes = given.map(({ hash }) => hash);
    const packed = record.packHashes(hashes);
    const repeats = new Set(hashes).size < hashes.length ? 'yes' : '';
    const { finalizeThreshold } = this.#node.options.thresholds;
    const records = given.map((transaction) => new record.BodyRecord(transaction));
    const args = [kept(packed, context), numberText(finalizeThreshold), repeats, packed, ...records];
    const [letters, first, recorded] = await this.write('receive', args, context);
    let seq = first;
    return named(recorded, hashes).map((hash, i): core.ReceiveOutcome => {
      const letter = String.fromCharCode(letters[i] as number);
      if (letter === 'f') return { kind: 'full', hash };
      const stage = duplicateStages[Number(letter)];
      if (stage !== undefined) return { kind: 'duplicate', hash, stage };
      return { kind: 'received', hash, seq: seq++, stage: letter === 'c' ? 'Confirmed' : 'Pending' };
    });
  }

  async move(verb: core.MoveVerb, hashes: readonly string[], context: core.WriteContext): Promise<string[]> {
    const packed = record.packHashes(hashes);
    return chosen(await this.write(verb, [kept(packed, context), packed], context), hashes);
  }

  async drop(hashes: readonly string[], reason: string, context: core.WriteContext): Promise<string[]> {
    const packed = record.packHashes(hashes);
    return chosen(await this.write('drop', [kept(packed, context), reason, packed], context), hashes);
  }

  async confirm(block: core.CheckedBlock, context: core.ChainContext): Promise<core.ConfirmOutcome> {
    const { finalizeThreshold, dropThreshold } = block.thresholds;
    const parent = block.parent === null ? '' : core.hashToBytes(block.parent);
    const thresholds = [finalizeThreshold, dropThreshold].map(numberText);
    const lists = [block.seen, block.unseen].map(record.packHashes);
    const args = [...this.#fence(context), core.encodePoint(block.point), parent, ...thresholds, ...lists];
    const [word, point, tick, ...counts] = await this.write('confirm', args, context);
    const kind = String(word) as core.ConfirmOutcome['kind'];
    const tip = { point: record.readPoint(point), tick };
    if (kind !== 'applied') return { kind, tip };
    const [confirmed, returned, finalized, dropped] = counts;
    return { kind, tip, confirmed, returned, finalized, dropped };
  }

  async rollback(target: core.ChainPoint | null, context: core.ChainContext): Promise<core.RollbackOutcome> {
    const args = [...this.#fence(context), target === null ? '' : core.encodePoint(target)];
    const [word, point, tick, first, returned] = await this.write('rollback', args, context);
    const kind = String(word) as core.RollbackOutcome['kind'];
    const tip = { point: record.readPoint(point), tick };
    switch (kind) {
      case 'unchanged':
      case 'fenced':
        return { kind, tip };
      case 'unknown-point':
        return { kind, tip, oldest: record.readPoint(first as Buffer) };
      case 'rolled-back':
        return { kind, tip, undone: first as number, returned };
    }
  }

  peekPending(after: number, limit: number, { signal }: core.ReadContext): Promise<core.StoredTransaction[]> {
    return this.#peek(['pending', after, limit, core.maxPageBytes], signal);
  }

  peekInflight(after: number, limit: number, { signal }: core.ReadContext): Promise<core.StoredTransaction[]> {
    return this.#peek(['inflight', after, limit, core.maxPageBytes], signal);
  }

  async findInflight(
    hashes: readonly string[],
    { signal }: core.ReadContext,
  ): Promise<(core.StoredTransaction | null)[]> {
    const [tick, ...rows] = await this.read('find', [record.packHashes([...new Set(hashes)])], signal);
    const byHash = new Map(rows.map((row) => [core.bytesToHash(row[0]), row] as const));
    return hashes.map((hash) => {
      const row = byHash.get(hash);
      if (row === undefined) return null;
      const { intact, ...transaction } = record.readTransaction(row, tick);
      if (!intact) throw core.corrupt(transaction);
      return transaction;
    });
  }

  async checkStatus(hashes: readonly string[], { signal }: core.ReadContext): Promise<core.TransactionStatus[]> {
    const [tick, ...found] = await this.read('status', [record.packHashes(hashes)], signal);
    return found.map((status, i) => record.readStatus(hashes[i] as string, tick, status));
  }

  async dumpFinalized(cursor: number, limit: number, { signal }: core.ReadContext): Promise<core.LogPage> {
    const [oldest, last, first, ...found] = await this.read('dump', [cursor, limit, core.maxPageBytes], signal);
    const rows = found.map(([entry, body], i) => record.readEntry(first + i, entry, body));
    const entries = core.cutPage(rows, isIntact).map(({ intact: _, ...entry }) => entry);
    const next = (entries.at(-1)?.logSeq ?? last) + 1;
    const missed = cursor === 0 ? 0 : Math.max(0, oldest - cursor);
    return { entries, cursor: next, hasMore: next <= last, missed };
  }

  async tip(points: number, { signal }: core.ReadContext): Promise<core.TipAnswer> {
    const [tip, tick, list] = await this.read('tip', [points], signal);
    return { point: record.readPoint(tip), tick, points: list.map(core.decodePoint) };
  }

  async usage({ signal }: core.ReadContext): Promise<core.Usage> {
    const [pending, propagated, acknowledged, confirmed, ...counts] = await this.read('usage', [], signal);
    const [logged, lastLogSeq, lastSeq, lastEventSeq] = counts;
    return { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq };
  }

  readEvents(after: number, limit: number): Promise<core.EventPage> {
    return this.#events.readEvents(after, limit);
  }

  onEvents(listener: () => void): () => void {
    return this.#events.onEvents(listener);
  }

  close(): void {
    this.#events.close();
    this.#node.connection.close();
  }

  async #peek(args: readonly Argument[], signal: AbortSignal | undefined): Promise<core.StoredTransaction[]> {
    const [tick, ...rows] = await this.read('peek', args, signal);
    const found = rows.map((row) => record.readTransaction(row, tick));
    return core.cutPage(found, isIntact).map(({ intact: _, ...transaction }) => transaction);
  }

  /** What lua/pool/fence.lua compares the live lease with (X6). */
  #fence({ lease }: core.ChainContext): Argument[] {
    const demanded = this.#node.options.fenced ? 'demanded' : '';
    return lease === null ? ['', '', '', demanded] : [lease.nodeId, lease.token, String(lease.term), demanded];
  }

  protected read<V extends Verb>(verb: V, args: readonly Argument[], signal?: AbortSignal): Promise<Reply<V>> {
    return this.#run(verb, 'ops', args, { signal, behind: this.#behind });
  }

  /** X2: a call without an id gets one of ours, so that a repeat after a lost answer is told the first one's outcome. */
  protected write<V extends Verb>(
    verb: V,
    args: readonly Argument[],
    { operationId, signal }: core.WriteContext,
    made?: string,
  ): Promise<Reply<V>> {
    this.#calls += 1;
    const id = operationId ?? made ?? `${this.#id}${this.#calls}`;
    return this.#run(verb, operationId === undefined ? 'calls' : 'ops', [id, verb, ...args], { signal });
  }

  #run<V extends Verb>(
    verb: V,
    ids: 'ops' | 'calls',
    args: readonly Argument[],
    context: Pick<RunContext, 'signal' | 'behind'>,
  ): Promise<Reply<V>> {
    const { connection, prefix, options, createPool } = this.#node;
    const fenced = verb === 'confirm' || verb === 'rollback';
    const keys =
      options.ordering === 'priority'
        ? rankedKeysOf(prefix, ids, options.election)
        : [...keysOf(prefix, ids), ...(fenced ? leaseKeysOf(prefix, options.election) : [])];
    return connection.run(verb, keys, args, { ...context, createPool });
  }
}

/** A number, or no limit, as the scripts take it. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : 'inf';
}

function isIntact({ intact }: { readonly intact: boolean }): boolean {
  return intact;
}

/** With an id of the caller's the hashes are recorded too, as a repeat may come with others. */
function kept(packed: Buffer, { operationId }: core.WriteContext): Argument {
  return operationId === undefined ? '' : packed;
}

function named(recorded: Buffer, given: readonly string[]): readonly string[] {
  return recorded.length === 0 ? given : record.unpackHashes(recorded);
}

/** The hashes of a call that the script marked with a 1. */
function chosen([digits, recorded]: [Buffer, Buffer], given: readonly string[]): string[] {
  return named(recorded, given).filter((_, i) => digits[i] === 0x31);
}
