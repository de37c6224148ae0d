import type { RecordStep } from '../contract/pool-entry.ts';
import type { CheckedRecordQuery, NamedValue, PoolValue, RecordPage } from '../contract/records.ts';
import {
  compareUtf8,
  copyValue,
  type FormerRecord,
  type FoundRecord,
  type RecordTotals,
  recordBytes,
  recordPage,
} from '../rules/records.ts';

/** The records of a pool, in the order of their names (K1, K4). */
export class NamedRecords {
  #totals: RecordTotals = { lastVersion: 0, bytes: 0 };
  readonly #names: string[] = [];
  readonly #values = new Map<string, PoolValue>();

  get totals(): RecordTotals {
    return this.#totals;
  }

  former(name: string): FormerRecord | null {
    const known = this.#values.get(name);
    return known === undefined ? null : { version: known.version, bytes: recordBytes(name, known.value) };
  }

  get(name: string): PoolValue | null {
    const known = this.#values.get(name);
    return known === undefined ? null : copyValue(known);
  }

  list(query: CheckedRecordQuery): RecordPage {
    return recordPage(this.#found(query).take(query.limit), query);
  }

  apply({ name, value, version, bytes }: RecordStep): void {
    this.#totals = { lastVersion: version, bytes };
    if (value !== null) this.#put(name, { version, value });
    else if (this.#values.delete(name)) this.#names.splice(this.#placeOf(name), 1);
  }

  /** All records by name. The caller must not change their bytes. */
  *all(): Generator<NamedValue, undefined> {
    for (const name of this.#names) yield { name, ...(this.#values.get(name) as PoolValue) };
  }

  /** Adds a record of `all`. */
  restore({ name, version, value }: NamedValue): void {
    const { lastVersion, bytes } = this.#totals;
    this.#totals = { lastVersion: Math.max(lastVersion, version), bytes: bytes + recordBytes(name, value) };
    this.#put(name, { version, value });
  }

  /** Sets the version of the last change, which a deleted record may have had. */
  restoreVersion(lastVersion: number): void {
    this.#totals = { ...this.#totals, lastVersion };
  }

  #put(name: string, stored: PoolValue): void {
    if (!this.#values.has(name)) this.#names.splice(this.#placeOf(name), 0, name);
    this.#values.set(name, stored);
  }

  *#found({ prefix, after }: CheckedRecordQuery): Generator<FoundRecord, undefined> {
    const isInside = compareUtf8(after, prefix) >= 0;
    let place = this.#placeOf(isInside ? after : prefix);
    if (isInside && after !== '' && this.#names[place] === after) place += 1;
    for (let name = this.#names[place]; name?.startsWith(prefix); name = this.#names[++place])
      yield { name, ...copyValue(this.#values.get(name) as PoolValue), isIntact: true };
  }

  /** The place of the first name that is not lower. */
  #placeOf(name: string): number {
    let low = 0;
    for (let high = this.#names.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (compareUtf8(this.#names[middle] as string, name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
