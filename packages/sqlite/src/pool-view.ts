import * as core from 'mempool-core';
import type { SharedHashes } from './hashes.ts';
import type { PoolFile, Row } from './pool-file.ts';
import { decodeLife, decodeOptionalPoint, decodeState, type PoolState } from './records.ts';

/** What the file says inside one transaction, so all of one moment. */
export class PoolView implements core.PoolView {
  readonly state: PoolState;
  readonly currentTip: core.Tip;
  readonly floor: number;
  readonly maxRollback: number;
  readonly lastSeq: number;
  readonly lastEventSeq: number;
  protected readonly file: PoolFile;
  protected readonly hashes: SharedHashes;
  #hash = '';
  #bytes: Buffer = Buffer.alloc(0);

  constructor(file: PoolFile, hashes: SharedHashes) {
    const state = decodeState(file.row('pool'));
    this.file = file;
    this.hashes = hashes;
    this.state = state;
    this.floor = state.floor;
    this.maxRollback = state.maxRollback;
    this.lastSeq = state.lastSeq;
    this.lastEventSeq = state.lastEventSeq;
    this.currentTip = { point: this.pointAt(state.tick), tick: state.tick };
  }

  life(hash: string): core.Life | null {
    const row = this.#lifeRow(hash);
    return row === null ? null : decodeLife(row);
  }

  confirmedAt(hash: string): core.ChainPoint | null {
    return decodeOptionalPoint(this.#lifeRow(hash)?.point);
  }

  sighting(hash: string): number | null {
    return (this.file.row('sighting', this.bytesOf(hash))?.tick as number) ?? null;
  }

  pointAt(tick: number): core.ChainPoint | null {
    return decodeOptionalPoint(this.file.row('point', tick)?.point);
  }

  tickOf(point: core.ChainPoint): number | null {
    return (this.file.row('tickOf', core.encodePoint(point))?.tick as number) ?? null;
  }

  aged(finalizable: number, droppable: number): core.Life[] {
    return this.#lives('aged', finalizable, droppable, droppable);
  }

  confirmedAfter(tick: number): core.Life[] {
    return [...this.#lives('confirmedAfter', tick), ...this.#lives('finalizedAfter', tick)];
  }

  waitingAfter(tick: number): core.Life[] {
    return this.#lives('waitingAfter', tick, tick);
  }

  /** Kept from one question to the next: the rules ask for several things of one hash, one after the other. */
  protected bytesOf(hash: string): Buffer {
    if (hash !== this.#hash) {
      this.#hash = hash;
      this.#bytes = core.hashToBytes(hash);
    }
    return this.#bytes;
  }

  /** Each by an index, so that the cost is that of what it finds (L12). */
  #lives(name: string, ...ticks: number[]): core.Life[] {
    return Array.from(this.file.rows(name, ...ticks), decodeLife);
  }

  #lifeRow(hash: string): Row | null {
    const seq = this.hashes.seqOf(this.bytesOf(hash));
    return seq === undefined ? null : { ...this.file.row('life', seq), hash: this.#bytes };
  }
}
