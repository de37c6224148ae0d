import type { TxState } from '../contract/lifecycle.ts';
import { type Row, stateOf } from './row.ts';
import { upperBound } from './seq-list.ts';

/** Rows in buckets by tick: a block or a rollback finds what it concerns without a look at the others (L12). */
export class TickIndex {
  readonly #ticks: number[] = [];
  readonly #buckets = new Map<number, Set<Row>>();

  insert(row: Row): void {
    const { tick } = row;
    const bucket = this.#buckets.get(tick)?.add(row);
    if (bucket !== undefined) return;
    this.#buckets.set(tick, new Set([row]));
    this.#ticks.splice(upperBound(this.#ticks, tick), 0, tick);
  }

  delete(row: Row): void {
    const { tick } = row;
    const bucket = this.#buckets.get(tick);
    if (bucket?.delete(row) !== true || bucket.size > 0) return;
    this.#buckets.delete(tick);
    this.#ticks.splice(upperBound(this.#ticks, tick) - 1, 1);
  }

  upTo(tick: number): TxState[] {
    return this.#txStates(this.#ticks.slice(0, upperBound(this.#ticks, tick)));
  }

  after(tick: number): TxState[] {
    return this.#txStates(this.#ticks.slice(upperBound(this.#ticks, tick)));
  }

  #txStates(ticks: readonly number[]): TxState[] {
    return ticks.flatMap((tick) => Array.from(this.#buckets.get(tick) ?? [], stateOf));
  }
}
