import { isLive } from 'mempool-core';
import {
  type ChainStep,
  countStages,
  encodePoint,
  encodeValue,
  factsAt,
  hashToBytes,
  maxOperations,
  payloadChecksum,
  type RecordStep,
  type Step,
  type StepEvent,
  type Write,
} from 'mempool-core/backend';
import { Batch, keyNumber, numberKey, type Reader, type Section } from './database.ts';
import { encodeRecord } from './named-records.ts';
import {
  decodeLogEntry,
  encodeEventRecord,
  encodeLogEntry,
  encodeState,
  encodeTransaction,
  type PoolState,
  type TransactionRecord,
} from './record.ts';
import { type LoadedView, pointKey } from './view.ts';

type MutableState = { -readonly [K in keyof PoolState]: PoolState[K] };

/** All changes of one step in one batch: records, indexes, log, events, blocks, and the outcome under its operation id (X1, X2). */
export class StepBatch {
  readonly batch = new Batch();
  readonly #view: LoadedView;
  readonly #reader: Reader;
  readonly #state: MutableState;
  /** Records as the step leaves them. */
  readonly #records = new Map<string, TransactionRecord>();
  /** Hashes of the log entries that the step adds. */
  readonly #logged = new Map<number, string>();

  constructor(reader: Reader, view: LoadedView) {
    this.#reader = reader;
    this.#view = view;
    this.#state = { ...view.state };
  }

  async add({
    writes,
    events,
    chain,
    operation,
    record,
    at: time,
  }: Omit<Step<unknown>, 'outcome'>): Promise<PoolState> {
    // A step without events has no time.
    const at = time ?? 0;
    for (const write of writes) this.#write(write, at);
    if (chain !== null) await this.#moveChain(chain);
    if (events.length > 0) await this.#record(events, at);
    if (this.#logged.size > 0) await this.#trimLog();
    if (record) this.#putRecord(record, at);
    if (operation !== null) await this.#remember(operation.id, operation.record);
    const state = { ...this.#state };
    this.batch.put('meta', 'pool', encodeState(state));
    return state;
  }

  #write({ after: planned, point, body }: Write, at: number): void {
    const after = { ...planned, facts: factsAt(planned.facts, at) };
    const before = this.#records.get(after.hash) ?? this.#view.record(after.hash);
    if (before !== null) this.#unindex(before);
    if (body !== null) {
      this.batch.put('payloads', after.hash, body.payload);
      this.#state.lastSeq = after.seq;
    }
    const record = { txState: after, point, logSeq: 0, ...payloadOf(body, before) };
    this.#keep(isLive(after.stage) ? record : { ...record, logSeq: this.#log(record, at) });
  }

  #putRecord({ name, value, version, bytes }: RecordStep, at: number): void {
    this.#state.lastAt = at;
    this.#state.lastVersion = version;
    this.#state.recordBytes = bytes;
    if (value === null) this.batch.delete('records', name);
    else this.batch.put('records', name, encodeRecord(name, version, value));
  }

  #log({ txState, point }: TransactionRecord, at: number): number {
    const logSeq = ++this.#state.lastLogSeq;
    this.batch.put('log', numberKey(logSeq), encodeLogEntry(txState, point, at));
    this.#logged.set(logSeq, txState.hash);
    return logSeq;
  }

  #keep(record: TransactionRecord): void {
    const { hash } = record.txState;
    this.#records.set(hash, record);
    this.batch.put('transactions', hash, encodeTransaction(record));
    for (const [section, key] of indexesOf(record)) this.batch.put(section, key, hashToBytes(hash));
  }

  #unindex(record: TransactionRecord): void {
    for (const [section, key] of indexesOf(record)) this.batch.delete(section, key);
  }

  async #moveChain(chain: ChainStep): Promise<void> {
    const { tick } = this.#state;
    this.#state.tick = chain.tick;
    if (chain.kind === 'undone') {
      this.#state.tip = this.#view.pointAt(chain.tick);
      await this.#forgetBlocks(chain.tick + 1, tick);
      return;
    }
    this.#state.tip = { ...chain.point };
    // First, so that a hash last carried by a block that goes is noted as carried by this one (L13).
    await this.#forgetBlocks(this.#state.floor, chain.floor - 1);
    this.#state.floor = chain.floor;
    await this.#view.loadSightings(chain.seen);
    const point = encodePoint(chain.point);
    this.batch.put('blocks', numberKey(chain.tick), encodeValue([point, chain.seen.map(hashToBytes)]));
    this.batch.put('points', pointKey(chain.point), encodeValue(chain.tick));
    for (const hash of chain.seen) {
      const inclusion = this.#view.inclusion(hash);
      if (inclusion === null || inclusion < chain.floor) this.batch.put('sightings', hash, encodeValue(chain.tick));
    }
    for (const hash of chain.unseen) this.batch.delete('sightings', hash);
  }

  async #forgetBlocks(first: number, last: number): Promise<void> {
    const ticks = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
    await this.#view.loadBlocks(ticks);
    const blocks = ticks.map((tick) => this.#view.block(tick)).filter((block) => block !== null);
    const seen = [...new Set(blocks.flatMap((block) => block.seen))];
    await this.#view.loadSightings(seen);
    for (const tick of ticks) this.batch.delete('blocks', numberKey(tick));
    for (const { point } of blocks) this.batch.delete('points', pointKey(point));
    for (const hash of seen) {
      const inclusion = this.#view.inclusion(hash);
      if (inclusion !== null && inclusion >= first && inclusion <= last) this.batch.delete('sightings', hash);
    }
  }

  async #record(events: readonly StepEvent[], at: number): Promise<void> {
    this.#state.lastEventSeq += events.length;
    this.batch.put('events', numberKey(this.#state.lastEventSeq), encodeEventRecord(events, at));
    this.#state.lastAt = at;
    countStages(this.#state, events);
    const surplus = this.#state.lastEventSeq - this.#state.retention.maxEvents;
    if (surplus < this.#state.oldestEventSeq) return;
    for (const [key] of await this.#reader.entries('events', { lte: numberKey(surplus) })) {
      this.batch.delete('events', key);
      this.#state.oldestEventSeq = keyNumber(key) + 1;
    }
  }

  /** O4: the oldest entries go; with a hash's latest one goes what is left of a transaction that is not live. */
  async #trimLog(): Promise<void> {
    const last = this.#state.lastLogSeq - this.#state.retention.maxFinalized;
    if (last < this.#state.oldestLogSeq) return;
    const stored = await this.#reader.entries('log', { lte: numberKey(last) });
    const trimmed = new Map(stored.map(([key, entry]) => [keyNumber(key), decodeLogEntry(entry).txState.hash]));
    for (const [logSeq, hash] of this.#logged) if (logSeq <= last) trimmed.set(logSeq, hash);
    await this.#view.loadTransactions([...trimmed.values()]);
    for (const [logSeq, hash] of trimmed) {
      this.batch.delete('log', numberKey(logSeq));
      const record = this.#records.get(hash) ?? this.#view.record(hash);
      if (record?.logSeq !== logSeq) continue;
      this.#unindex(record);
      this.batch.delete('transactions', hash);
      this.batch.delete('payloads', hash);
    }
    this.#state.oldestLogSeq = last + 1;
  }

  async #remember(id: string, record: Uint8Array): Promise<void> {
    const number = ++this.#state.operations;
    this.batch.put('operations', id, record);
    this.batch.put('operationOrder', numberKey(number), Buffer.from(id));
    for (const [key, old] of await this.#reader.entries('operationOrder', {
      lte: numberKey(Math.max(0, number - maxOperations)),
    })) {
      this.batch.delete('operationOrder', key);
      this.batch.delete('operations', old.toString());
    }
  }
}

function payloadOf(
  body: Write['body'],
  before: TransactionRecord | null,
): Pick<TransactionRecord, 'payloadType' | 'checksum'> {
  if (body !== null) return { payloadType: body.payloadType, checksum: payloadChecksum(body.payload) };
  return { payloadType: before?.payloadType ?? 0, checksum: before?.checksum ?? 0 };
}

function sentIndex({ seq, facts: { sentAt } }: TransactionRecord['txState']): [section: Section, key: string][] {
  return sentAt === null ? [] : [['sent', numberKey(sentAt, seq)]];
}

/** Where a record can be found beside its hash. */
function indexesOf({ txState }: TransactionRecord): [section: Section, key: string][] {
  const { stage, seq, tick } = txState;
  switch (stage) {
    case 'Pending':
      return [['pending', numberKey(seq)]];
    case 'Propagated':
    case 'Acknowledged':
      return [['inflight', numberKey(seq)], ['waiting', numberKey(tick, seq)], ...sentIndex(txState)];
    case 'Confirmed':
      return [
        ['inflight', numberKey(seq)],
        ['confirmed', numberKey(tick, seq)],
      ];
    case 'Finalized':
      return [['finalized', numberKey(tick, seq)]];
    case 'Dropped':
      return [];
  }
}
