import {
  type ChainPoint,
  type KnownStage,
  knownStages,
  type StoredTransaction,
  type StoreEvent,
  type Tip,
  type TipAnswer,
  type Transaction,
  type TransactionStatus,
} from 'mempool-core';
import * as core from 'mempool-core/backend';
import { damaged, type Row } from '../file/row.ts';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile } from './pool-file.ts';
import * as records from './records.ts';

type LoggedRecord = records.StoredRecord & core.LoggedRecord;
function bySending(a: core.TxState, b: core.TxState): number {
  return (a.facts.sentAt ?? 0) - (b.facts.sentAt ?? 0) || a.seq - b.seq;
}

function numbersByHash(rows: Iterable<Row>): ReadonlyMap<string, number> {
  return new Map(Array.from(rows, ({ hash, number }) => [hash as string, number as number]));
}

/** The state of the pool in the file inside one transaction, for core's rules and for the reading verbs. */
export class PoolView implements core.PoolView {
  state: records.PoolState;
  readonly floor: number;
  readonly maxRollback: number;
  readonly lastSeq: number;
  readonly lastEventSeq: number;
  readonly lastAt: number;
  protected readonly file: PoolFile;
  protected readonly hashes: HashIndex;
  readonly #seqs: ReadonlyMap<string, number> | null = null;
  readonly #inclusions: ReadonlyMap<string, number> | null = null;
  #tip: Tip | null = null;
  #asked: { readonly hash: string; readonly bytes: Buffer; row?: Row | null } = { hash: '', bytes: Buffer.alloc(0) };

  /** `named`: the transactions that a call looks up, to read their seqs and inclusions with one query each. */
  constructor(file: PoolFile, hashes: HashIndex, named: readonly Pick<Transaction, 'hash'>[] | null = null) {
    this.file = file;
    this.hashes = hashes;
    this.state = records.decodeState(file.row('pool'));
    ({
      floor: this.floor,
      maxRollback: this.maxRollback,
      lastSeq: this.lastSeq,
      lastEventSeq: this.lastEventSeq,
      lastAt: this.lastAt,
    } = this.state);
    if (named === null) return;
    const hashesText = JSON.stringify(named.map(({ hash }) => hash));
    this.#seqs = numbersByHash(file.rows('seqsOf', hashesText));
    this.#inclusions = this.state.tick === 0 ? new Map() : numbersByHash(file.rows('inclusions', hashesText));
  }

  get currentTip(): Tip {
    const { tick } = this.state;
    this.#tip ??= { point: this.pointAt(tick), tick };
    return this.#tip;
  }

  /** Returns a state, for calls that write. Repairs a damaged record, so that the other transactions of the call can proceed (M2). */
  txState(hash: string): core.TxState | null {
    const row = this.#lifeRow(hash);
    return row === null ? null : (records.readLife(row) ?? this.#repair(row));
  }

  claimOf(hash: string): string | null {
    if (this.state.leases === 0) return null;
    const seq = this.hashes.seqOf(core.hashToBytes(hash));
    const id = seq === undefined ? undefined : this.file.row('claimOf', seq)?.id;
    return typeof id === 'string' ? id : null;
  }

  /** Returns the confirming point. It is `null` for a damaged record too, because a final state without its block is damaged. */
  confirmedAt(hash: string): ChainPoint | null {
    const row = this.#lifeRow(hash);
    return row === null ? null : (records.readStoredState(row)?.point ?? null);
  }

  inclusion(hash: string): number | null {
    const known = this.#inclusions ?? numbersByHash(this.file.rows('inclusions', JSON.stringify([hash])));
    return known.get(hash) ?? null;
  }

  pointAt(tick: number): ChainPoint | null {
    return records.decodeOptionalPoint(this.file.row('point', tick)?.point);
  }

  tickOf(point: ChainPoint): number | null {
    return (this.file.row('tickOf', core.encodePoint(point))?.tick as number) ?? null;
  }

  aged(finalizable: number, droppable: number): core.TxState[] {
    return this.#txStates('aged', finalizable, droppable, droppable);
  }

  confirmedAfter(tick: number): core.TxState[] {
    return [...this.#txStates('confirmedAfter', tick), ...this.#txStates('finalizedAfter', tick)];
  }

  waitingAfter(tick: number): core.TxState[] {
    return this.#txStates('waitingAfter', tick, tick);
  }

  sentBefore(ms: number, limit: number): core.TxState[] {
    const { propagated, acknowledged } = this.state;
    const found = [
      ...(propagated > 0 ? this.#sentIn('Propagated', ms, limit) : []),
      ...(acknowledged > 0 ? this.#sentIn('Acknowledged', ms, limit) : []),
    ];
    return found.sort(bySending).slice(0, limit);
  }

  page(name: 'peekPending' | 'peekInflight', after: number, limit: number): core.DriverPage {
    const { epoch } = this.state;
    return core.seqPage(this.#records(name, after, limit), { after, epoch }, (record) => this.#stored(record));
  }

  findInflight(hash: string): StoredTransaction | null {
    const { bytes } = this.#ask(hash);
    const row = this.hashes.inflightOf(bytes);
    if (row === undefined) return null;
    const record = records.decodeUnder(hash, bytes, row);
    return record.state === null ? this.file.reportDamage(record) : this.#stored(record);
  }

  status(hash: string): TransactionStatus {
    const row = this.#lifeRow(hash);
    if (row === null) return core.statusOf(hash, null, null, this.state.tick);
    const key = records.recordKeyOf(row);
    const state = records.readStoredState(row);
    if (state === null && row.isLogged === 1) return core.statusOf(hash, core.lostEnd(hash, key.seq), null, 0);
    if (state === null) {
      this.file.reportDamage(key);
      return core.unreadableStatus(hash);
    }
    return core.statusOf(hash, state.txState, state.point, this.state.tick);
  }

  logPage(cursor: number, limit: number): core.DriverLogPage {
    const { lastLogSeq: last, logged, epoch } = this.state;
    const oldest = last - logged + 1;
    const found = this.#records('log', Math.max(cursor, oldest), limit);
    return core.logPage(found as core.Cut<LoggedRecord>, { cursor, oldest, last, epoch }, (record) => {
      const { txState, point } = records.intact(record, record.state);
      return core.logEntry(record.logSeq, txState, record, point, record.at);
    });
  }

  tip(points: number): TipAnswer {
    const kept = Array.from(this.file.rows('points', points), ({ point }) => records.decodeOptionalPoint(point));
    return { ...this.currentTip, points: kept.filter((point) => point !== null), epoch: this.state.epoch };
  }

  usage(): core.DriverUsage {
    const { pending, held, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq, epoch } =
      this.state;
    const stages = { pending, held, propagated, acknowledged, confirmed };
    const [oldest] = this.sentBefore(Number.POSITIVE_INFINITY, 1);
    const oldestInflight = oldest === undefined ? null : { hash: oldest.hash, sentAt: oldest.facts.sentAt ?? 0 };
    return { ...stages, logged, lastLogSeq, lastSeq, lastEventSeq, epoch, oldestInflight };
  }

  eventsAfter(after: number, limit: number): core.EventPage {
    const { lastEventSeq: last, epoch } = this.state;
    const events: StoreEvent[] = [];
    for (const row of this.file.rows('events', Math.min(after, last))) {
      const unpacked = records.readEventRow(row);
      // The events before it are intact.
      if (unpacked === null && events.length > 0) break;
      if (unpacked === null) throw damaged('events');
      events.push(...unpacked.filter(({ eventSeq }) => eventSeq > after));
      if (events.length >= limit) break;
    }
    return { events: events.slice(0, limit), oldest: Number(this.file.row('oldestEvent')?.oldest), last, epoch };
  }

  /** Reads the row of a hash. It caches the last one, because the rules read several fields of one hash in a row. */
  #ask(hash: string): { readonly bytes: Buffer; row?: Row | null } {
    if (hash !== this.#asked.hash) this.#asked = { hash, bytes: core.hashToBytes(hash) };
    return this.#asked;
  }

  #lifeRow(hash: string): Row | null {
    const asked = this.#ask(hash);
    if (asked.row !== undefined) return asked.row;
    const seq = this.#seqs === null ? this.hashes.seqOf(asked.bytes) : this.#seqs.get(hash);
    asked.row = seq === undefined ? null : { ...this.file.row('txState', seq), hash: asked.bytes };
    return asked.row;
  }

  /** Stops at the first tick with one that went out too late: all behind it did too. Neighbouring ticks may share a time. */
  #sentIn(stage: KnownStage, ms: number, limit: number): core.TxState[] {
    const code = knownStages.indexOf(stage);
    let before = Math.min(ms, Number.MAX_SAFE_INTEGER);
    const found: core.TxState[] = [];
    for (let tick = this.#nextTick(code, -1); tick !== null; tick = this.#nextTick(code, tick)) {
      found.push(...this.#txStates('sentBefore', code, tick, before, limit));
      if (this.file.row('isSentFrom', code, tick, before) !== undefined) break;
      const last = found[limit - 1]?.facts.sentAt ?? null;
      if (last !== null) before = Math.min(before, last + 1);
    }
    return found;
  }

  #nextTick(stage: number, after: number): number | null {
    return (this.file.row('nextTick', stage, after)?.tick as number | null) ?? null;
  }

  /** Each query uses an index, so its cost is that of the rows it finds (L12). A damaged row stays as it is (M2). */
  #txStates(name: string, ...ticks: number[]): core.TxState[] {
    const rows = [...this.file.rows(name, ...ticks)];
    const txStates = rows.map((row) => records.readLife(row) ?? this.file.reportDamage(records.recordKeyOf(row)));
    return txStates.filter((txState) => txState !== null);
  }

  /** A transaction that is not in the log becomes Propagated, which every verb can handle. Its old stage is unknown, so all are counted again. */
  #repair(row: Row): core.TxState {
    const { hash, seq } = records.recordKeyOf(row);
    this.file.reportDamage({ hash, seq });
    if (row.isLogged === 1) return core.lostEnd(hash, seq);
    const txState = core.live(hash, seq, 'Propagated', this.state.tick, core.noFacts);
    this.file.run('putInflight', seq, knownStages.indexOf(txState.stage), txState.tick, null, null, 0, null);
    this.state = { ...this.state, ...this.file.row('recount') };
    return txState;
  }

  #records(name: string, from: number, limit: number): core.Cut<records.StoredRecord> {
    const rows = Iterator.from(this.file.rows(name, from, limit));
    return core.cutPage(
      rows.map(records.decodeRecord),
      ({ state }) => state !== null,
      (found) => this.file.reportDamage(found),
    );
  }

  #stored(record: records.StoredRecord): StoredTransaction {
    const { txState, point } = records.intact(record, record.state);
    return core.storedTransaction(txState, record, point, this.state.tick);
  }
}
