import type { ChainPoint, Tip } from 'mempool-core';
import {
  bytesToHash,
  type CheckedBlock,
  decodePoint,
  decodeValue,
  droppableTick,
  encodePoint,
  finalizableTick,
  type PoolView,
  type TxState,
} from 'mempool-core/backend';
import { numberKey, type Reader, type Section } from './database.ts';
import { decodeTransaction, type PoolState, type TransactionRecord } from './record.ts';

export interface StoredBlock {
  readonly point: ChainPoint;
  readonly seen: readonly string[];
}

/**
 * The records that a call's rules need, loaded before the rules run: the rules are synchronous, LevelDB is not. Each verb loads only
 * the records that it names.
 */
export class LoadedView implements PoolView {
  readonly state: PoolState;
  readonly reader: Reader;
  readonly #records = new Map<string, TransactionRecord | null>();
  readonly #inclusions = new Map<string, number | null>();
  readonly #blocks = new Map<number, StoredBlock>();
  readonly #ticks = new Map<string, number>();
  #aged: readonly TxState[] = [];
  #returning: readonly TxState[] = [];
  #waiting: readonly TxState[] = [];

  constructor(reader: Reader, state: PoolState) {
    this.reader = reader;
    this.state = state;
  }

  async loadTransactions(hashes: readonly string[]): Promise<void> {
    const missing = hashes.filter((hash) => !this.#records.has(hash));
    const found = await this.reader.getMany('transactions', missing);
    for (const [i, hash] of missing.entries()) {
      const bytes = found[i];
      this.#records.set(hash, bytes === undefined ? null : decodeTransaction(hash, bytes));
    }
  }

  /** For `receive`: L13 asks which kept block carried a hash, and for its point. */
  async loadArrivals(hashes: readonly string[]): Promise<void> {
    await this.loadTransactions(hashes);
    await this.loadSightings(hashes);
    const first = hashes.map((hash) => this.inclusion(hash));
    await this.loadBlocks(new Set(first.filter((tick) => tick !== null)));
  }

  async loadBlock({ point, seen, unseen, thresholds }: CheckedBlock): Promise<void> {
    const tick = this.state.tick + 1;
    await this.loadTransactions([...seen, ...unseen]);
    await this.#loadTick(point);
    this.#aged = [
      ...(await this.#txStates('confirmed', ...upTo(finalizableTick(tick, thresholds)))),
      ...(await this.#txStates('waiting', ...upTo(droppableTick(tick, thresholds)))),
    ];
  }

  async loadUndone(point: ChainPoint | null): Promise<void> {
    const { tick, floor } = this.state;
    if (point !== null) await this.#loadTick(point);
    const target = point === null ? floor - 1 : this.tickOf(point);
    await this.loadBlocks([floor]);
    if (target === null) return;
    await this.loadBlocks(Array.from({ length: tick - target + 1 }, (_, i) => target + i));
    const after = { gte: numberKey(target + 1) };
    this.#returning = [...(await this.#txStates('confirmed', after)), ...(await this.#txStates('finalized', after))];
    this.#waiting = await this.#txStates('waiting', after);
  }

  async loadSightings(hashes: readonly string[]): Promise<void> {
    const found = await this.reader.getMany('sightings', hashes);
    for (const [i, hash] of hashes.entries()) this.#inclusions.set(hash, decodeTick(found[i]));
  }

  async loadBlocks(ticks: Iterable<number>): Promise<void> {
    const wanted = [...ticks];
    const found = await this.reader.getMany(
      'blocks',
      wanted.map((tick) => numberKey(tick)),
    );
    for (const [i, bytes] of found.entries())
      if (bytes !== undefined) this.#blocks.set(wanted[i] as number, decodeBlock(bytes));
  }

  /** The record before the call. */
  record(hash: string): TransactionRecord | null {
    return this.#records.get(hash) ?? null;
  }

  block(tick: number): StoredBlock | null {
    return this.#blocks.get(tick) ?? null;
  }

  get currentTip(): Tip {
    return { point: this.state.tip && { ...this.state.tip }, tick: this.state.tick };
  }

  get floor(): number {
    return this.state.floor;
  }

  get maxRollback(): number {
    return this.state.retention.maxRollback;
  }

  get lastSeq(): number {
    return this.state.lastSeq;
  }

  get lastEventSeq(): number {
    return this.state.lastEventSeq;
  }

  get lastAt(): number {
    return this.state.lastAt;
  }

  txState(hash: string): TxState | null {
    return this.record(hash)?.txState ?? null;
  }

  confirmedAt(hash: string): ChainPoint | null {
    return this.record(hash)?.point ?? null;
  }

  inclusion(hash: string): number | null {
    return this.#inclusions.get(hash) ?? null;
  }

  pointAt(tick: number): ChainPoint | null {
    return this.block(tick)?.point ?? null;
  }

  tickOf(point: ChainPoint): number | null {
    return this.#ticks.get(pointKey(point)) ?? null;
  }

  aged(): Iterable<TxState> {
    return this.#aged;
  }

  confirmedAfter(): Iterable<TxState> {
    return this.#returning;
  }

  waitingAfter(): Iterable<TxState> {
    return this.#waiting;
  }

  /** Nothing here sweeps. */
  sentBefore(): Iterable<TxState> {
    return [];
  }

  async #loadTick(point: ChainPoint): Promise<void> {
    const key = pointKey(point);
    const tick = decodeTick(await this.reader.get('points', key));
    if (tick !== null) this.#ticks.set(key, tick);
  }

  /** The transactions that an index by tick and seq names. */
  async #txStates(section: Section, ...ranges: { gte?: string; lte?: string }[]): Promise<TxState[]> {
    const found = await Promise.all(ranges.map((range) => this.reader.entries(section, range)));
    const hashes = found.flat().map(([, hash]) => bytesToHash(hash));
    await this.loadTransactions(hashes);
    return hashes.map((hash) => this.txState(hash)).filter((txState) => txState !== null);
  }
}

/** No range where no tick is as low: a threshold may be `Infinity`. */
function upTo(tick: number): { lte: string }[] {
  return tick < 0 ? [] : [{ lte: `${numberKey(tick)}~` }];
}

export function pointKey(point: ChainPoint): string {
  return encodePoint(point).toString('hex');
}

function decodeTick(bytes: Uint8Array | undefined): number | null {
  return bytes === undefined ? null : (decodeValue('tick', bytes) as number);
}

function decodeBlock(bytes: Uint8Array): StoredBlock {
  const [point, seen] = decodeValue('block', bytes) as [Uint8Array, Uint8Array[]];
  return { point: decodePoint(point), seen: seen.map(bytesToHash) };
}
