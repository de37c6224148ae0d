import { randomUUID } from 'node:crypto';
import type { LogEntry, PoolValue, RecordPage, StoredTransaction, TipAnswer, TransactionStatus } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Connection, RunContext } from '../connection/connection.ts';
import type { Argument } from '../connection/lua-script.ts';
import type { RedisOptions } from '../connection/options.ts';
import {
  importKeysOf,
  keysOf,
  leaseKeysOf,
  priorityScriptKeysOf,
  type Reply,
  type Verb,
} from '../connection/script.ts';
import { feedOf } from './event-feed.ts';
import { EventLog } from './event-log.ts';
import { exportedPages } from './exported-pages.ts';
import { ImportCommands } from './import-commands.ts';
import * as namedRecord from './named-record.ts';
import { isIntact, logRows, pageRows } from './page-rows.ts';
import * as record from './record.ts';

/** A pool that a node has opened. */
export interface Node {
  readonly connection: Connection;
  /** Prefix of the keys, with braces. */
  readonly prefix: string;
  readonly options: core.DriverOptions & RedisOptions;
  /** Creates the pool if there is none. @throws `ERR_MEMPOOL_INCOMPATIBLE` for a key that is not ours */
  createPool(timeoutMs: number): Promise<unknown>;
}

type ReadingVerbs = Pick<
  core.StoreDriver,
  | 'peekPending'
  | 'peekInflight'
  | 'findInflight'
  | 'checkStatus'
  | 'dumpFinalized'
  | 'tip'
  | 'usage'
  | 'getRecord'
  | 'listRecords'
  | 'readEvents'
  | 'onEvents'
  | 'close'
>;

/** The verbs of a node that read records, in a pool of either ordering. Each verb is one script. */
export class PoolReader implements ReadingVerbs {
  readonly #node: Node;
  readonly #events: EventLog;
  readonly #behind: (() => Promise<unknown>) | undefined;

  /** `behind` resolves when the writes that a read must see have ended. A store that writes through `run` needs none. */
  constructor(node: Node, behind?: () => Promise<unknown>) {
    this.#node = node;
    this.#behind = behind;
    this.#events = new EventLog({
      readPage: (after, limit, marks) => this.run('events', 'ops', [after, limit, ...marks], {}),
      feed: () => feedOf(node.options, node.prefix),
      isWhere: (link) => node.connection.isWhere(link),
    });
  }

  /** Returns the node. This is a method, because a log would show a field or a getter, and the options include the password. */
  protected node(): Node {
    return this.#node;
  }

  peekPending(after: number, limit: number, { signal }: core.ReadContext): Promise<core.DriverPage> {
    return this.#peek('pending', after, limit, signal);
  }

  peekInflight(after: number, limit: number, { signal }: core.ReadContext): Promise<core.DriverPage> {
    return this.#peek('inflight', after, limit, signal);
  }

  async findInflight(hashes: readonly string[], { signal }: core.ReadContext): Promise<(StoredTransaction | null)[]> {
    const page = await this.read('find', [record.packHashes([...new Set(hashes)])], signal);
    const found = new Map<string, StoredTransaction>();
    for (const row of pageRows(page)) {
      if (isIntact(row)) found.set(row.hash, row);
      else this.node().options.damage(row);
    }
    return hashes.map((hash) => found.get(hash) ?? null);
  }

  async checkStatus(hashes: readonly string[], { signal }: core.ReadContext): Promise<TransactionStatus[]> {
    const [tick, ...found] = await this.read('status', [record.packHashes(hashes)], signal);
    return found.map((status, i) => record.readStatus(hashes[i] as string, tick, status));
  }

  async dumpFinalized(cursor: number, limit: number, { signal }: core.ReadContext): Promise<core.DriverLogPage> {
    const page = await this.read('dump', [cursor, limit, core.maxPageBytes], signal);
    const [oldest, last, , epoch] = page;
    const found = core.cutPage(logRows(page), record.isIntactEntry, this.node().options.damage);
    return core.logPage(found, { cursor, oldest, last, epoch: String(epoch) }, (row) => row as LogEntry);
  }

  async tip(points: number, { signal }: core.ReadContext): Promise<TipAnswer> {
    const [tip, tick, list, epoch] = await this.read('tip', [points], signal);
    return { point: record.readPoint(tip), tick, points: list.map(core.decodePoint), epoch: String(epoch) };
  }

  async usage({ signal }: core.ReadContext): Promise<core.DriverUsage> {
    const [pending, propagated, acknowledged, confirmed, ...counts] = await this.read('usage', [], signal);
    const [logged, lastLogSeq, lastSeq, lastEventSeq, held, epoch, hash, sentAt] = counts;
    const stages = { pending, held, propagated, acknowledged, confirmed };
    const oldestInflight = hash.length === 0 ? null : { hash: core.bytesToHash(hash), sentAt };
    return { ...stages, logged, lastLogSeq, lastSeq, lastEventSeq, epoch: String(epoch), oldestInflight };
  }

  async getRecord(name: string, { signal }: core.ReadContext): Promise<PoolValue | null> {
    const [stored] = await this.read('getRecord', [name], signal);
    if (stored === null) return null;
    const { isIntact, version, value } = namedRecord.decode(Buffer.from(name), stored);
    if (!isIntact) throw core.damagedRecord(name);
    return { version, value };
  }

  async listRecords(query: core.CheckedRecordQuery, { signal }: core.ReadContext): Promise<RecordPage> {
    const rows = await this.read('listRecords', namedRecord.pageArguments(query), signal);
    return core.recordPage(
      rows.map(([name, stored]) => namedRecord.decode(name, stored)),
      query,
    );
  }

  readEvents(after: number, limit: number): Promise<core.EventPage> {
    return this.#events.readEvents(after, limit);
  }

  onEvents(listener: () => void): () => void {
    return this.#events.onEvents(listener);
  }

  exportPages({ signal }: core.ReadContext): AsyncIterable<core.PoolPart[]> {
    return exportedPages(this.node().options, (verb, args) => this.read(verb, args, signal));
  }

  async importPage(
    { id, from, to, parts, isLast }: core.ImportedPage,
    { signal }: core.ReadContext,
  ): Promise<core.PageOutcome> {
    const { connection, prefix, options, createPool } = this.node();
    const places = [from.lines, from.digest, to.lines, to.digest, isLast ? 'last' : ''];
    const args = [options.ordering, id, ...places, ...new ImportCommands(options.ordering, parts).pack(randomUUID())];
    const keys = importKeysOf(prefix, options.election);
    const [word, lines, digest] = await connection.run('import', keys, args, { signal, createPool });
    const kind = String(word) as core.PageOutcome['kind'];
    return kind === 'known' ? { kind, lines: Number(lines), digest: String(digest) } : { kind };
  }

  close(): void {
    this.#events.close();
    this.node().connection.close();
  }

  async #peek(
    list: 'pending' | 'inflight',
    after: number,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<core.DriverPage> {
    const page = await this.read('peek', [list, after, limit, core.maxPageBytes], signal);
    const found = core.cutPage(pageRows(page), isIntact, this.node().options.damage);
    return core.seqPage(found, { after, epoch: String(page[1]) }, (row) => row as StoredTransaction);
  }

  protected read<V extends Verb>(verb: V, args: readonly Argument[], signal?: AbortSignal): Promise<Reply<V>> {
    return this.run(verb, 'ops', args, { signal, behind: this.#behind });
  }

  protected run<V extends Verb>(
    verb: V,
    ids: 'ops' | 'calls',
    args: readonly Argument[],
    context: Pick<RunContext, 'signal' | 'behind'>,
  ): Promise<Reply<V>> {
    const { connection, createPool } = this.node();
    return connection.run(verb, this.#keysOf(verb, ids), args, { ...context, createPool });
  }

  #keysOf(verb: Verb, ids: 'ops' | 'calls'): string[] {
    const { prefix, options } = this.node();
    if (options.ordering === 'priority') return priorityScriptKeysOf(prefix, ids, options.election);
    const fenced = verb === 'confirm' || verb === 'rollback' || verb === 'putRecord';
    return [...keysOf(prefix, ids), ...(fenced ? leaseKeysOf(prefix, options.election) : [])];
  }
}
