import { isDeepStrictEqual } from 'node:util';
import type { Namespace } from '../store/namespace.ts';
import { decodeRows, type EpochRow, encodeRows, type StoredRows } from './epoch-row.ts';
import { addTotals, type EpochTotals, totalsOf } from './totals.ts';

export const hourMs = 3_600_000;
export const dayMs: number = 24 * hourMs;

/** How long epochs are kept at least: as long as their records, by default. */
export const keptHours: number = 7 * 24;

interface Hour {
  /** Of the record; 0: there is none. */
  readonly version: number;
  readonly rows: ReadonlyMap<number, EpochRow>;
}

const padded = (value: number): string => String(value).padStart(10, '0');
const hourPrefix = 'board/hour/';
const numberOf = (name: string): number => Number(name.slice(name.lastIndexOf('/') + 1));

/**
 * The rows of epochs by the hour in which their window closes, in records of the namespace.
 *
 * A row describes its epoch, and replaces the one before it by compare-and-set: it is read after the record that it goes into.
 * So however many servers write, and wherever one is killed, each epoch counts once, and a stored row is never older than the row that
 * was stored before.
 */
export class EpochArchive {
  readonly #records: Namespace['records'];
  readonly #hours = new Map<number, Hour>();

  constructor({ records }: Namespace) {
    this.#records = records;
  }

  async load(): Promise<void> {
    for (const { name, value, version } of await this.#records.list<StoredRows>(hourPrefix))
      this.#hours.set(numberOf(name), { version, rows: decodeRows(value) });
  }

  /** All rows that are kept. */
  *rows(): Iterable<EpochRow> {
    for (const { rows } of this.#hours.values()) yield* rows.values();
  }

  /** The sums of an hour, by its number since 1970. */
  hour(hour: number): EpochTotals {
    return totalsOf(this.#hours.get(hour)?.rows.values() ?? []);
  }

  /** The sums of a day, by its number since 1970. */
  day(day: number): EpochTotals {
    return addTotals(Array.from({ length: 24 }, (_, i) => this.hour(day * 24 + i)));
  }

  /** Replaces the rows of an hour by the rows that `read` finds now. @throws the store's errors; then nothing was written */
  async update(
    hour: number,
    read: (before: ReadonlyMap<number, EpochRow>) => Promise<readonly EpochRow[]>,
  ): Promise<void> {
    for (;;) {
      const { version, rows } = this.#hours.get(hour) ?? { version: 0, rows: new Map<number, EpochRow>() };
      const found = (await read(rows)).filter((row) => !isDeepStrictEqual(row, rows.get(row.epoch)));
      if (found.length === 0) return;
      const next = new Map([...rows, ...found.map((row) => [row.epoch, row] as const)]);
      if (await this.#records.replace(hourName(hour), encodeRows(next), version)) return this.#reload(hour);
      await this.#reload(hour);
    }
  }

  async #reload(hour: number): Promise<void> {
    const read = await this.#records.read<StoredRows>(hourName(hour));
    if (read === null) this.#hours.delete(hour);
    else this.#hours.set(hour, { version: read.version, rows: decodeRows(read.value) });
  }

  /** Deletes the hours that are old enough and settled. */
  async trim(now: number): Promise<void> {
    const oldest = Math.floor(now / hourMs) - keptHours;
    for (const [hour, { version, rows }] of [...this.#hours]) {
      if (hour >= oldest || [...rows.values()].some(({ isSettled }) => !isSettled)) continue;
      await this.#records.replace(hourName(hour), null, version);
      await this.#reload(hour);
    }
  }
}

const hourName = (hour: number): string => `${hourPrefix}${padded(hour)}`;
