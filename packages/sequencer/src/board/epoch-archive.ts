import { isDeepStrictEqual } from 'node:util';
import type { Namespace } from '../store/namespace.ts';
import { decodeRows, type EpochRow, encodeRows, type StoredRows } from './epoch-row.ts';
import { addTotals, type EpochTotals, totalsOf } from './totals.ts';

export const hourMs = 3_600_000;
export const dayMs: number = 24 * hourMs;

/** How long epochs are kept one by one, at least. */
export const keptHours = 48;
/** How long the sums of days are kept. */
const keptDays = 31;

interface Hour {
  /** Of the record; 0: there is none. */
  readonly version: number;
  readonly rows: ReadonlyMap<number, EpochRow>;
}

interface StoredDay {
  readonly format: 1;
  /** The sums of each hour that is not kept epoch by epoch any more. */
  readonly hours: Readonly<Record<number, EpochTotals>>;
}

const padded = (value: number): string => String(value).padStart(10, '0');
const hourPrefix = 'board/hour/';
const dayPrefix = 'board/day/';
const numberOf = (name: string): number => Number(name.slice(name.lastIndexOf('/') + 1));

/**
 * The rows of epochs by the hour in which their window closes, and the sums of older hours by day, in records of the namespace.
 *
 * A row says what its epoch is, and replaces the one before it by compare-and-set: it is read after the record that it goes into.
 * So however many servers write, and wherever one is killed, each epoch counts once, and what is stored is never older than what
 * was stored before.
 */
export class EpochArchive {
  readonly #records: Namespace['records'];
  readonly #hours = new Map<number, Hour>();
  readonly #days = new Map<number, StoredDay>();

  constructor({ records }: Namespace) {
    this.#records = records;
  }

  async load(): Promise<void> {
    for (const { name, value, version } of await this.#records.list<StoredRows>(hourPrefix))
      this.#hours.set(numberOf(name), { version, rows: decodeRows(value) });
    for (const { name, value } of await this.#records.list<StoredDay>(dayPrefix)) this.#days.set(numberOf(name), value);
  }

  /** All rows that are kept. */
  *rows(): Iterable<EpochRow> {
    for (const { rows } of this.#hours.values()) yield* rows.values();
  }

  /** The sums of an hour, by its number since 1970. */
  hour(hour: number): EpochTotals {
    const kept = this.#hours.get(hour);
    return kept === undefined ? (this.#day(hour).hours[hour] ?? totalsOf([])) : totalsOf(kept.rows.values());
  }

  #day(hour: number): StoredDay {
    return this.#days.get(Math.floor(hour / 24)) ?? { format: 1, hours: {} };
  }

  /** The sums of a day, by its number since 1970. */
  day(day: number): EpochTotals {
    return addTotals(Array.from({ length: 24 }, (_, i) => this.hour(day * 24 + i)));
  }

  /** Replaces the rows of an hour by those that `read` finds now. @throws the store's errors; then nothing was written */
  async update(
    hour: number,
    read: (before: ReadonlyMap<number, EpochRow>) => Promise<readonly EpochRow[]>,
  ): Promise<void> {
    // It is summed up: late changes of so old an epoch are not counted.
    while (!this.#isSummedUp(hour)) {
      const { version, rows } = this.#hours.get(hour) ?? { version: 0, rows: new Map<number, EpochRow>() };
      const found = (await read(rows)).filter((row) => !isDeepStrictEqual(row, rows.get(row.epoch)));
      if (found.length === 0) return;
      const next = new Map([...rows, ...found.map((row) => [row.epoch, row] as const)]);
      if (await this.#records.replace(hourName(hour), encodeRows(next), version)) return this.#reload(hour);
      await this.#reload(hour);
      if (!this.#hours.has(hour)) await this.#loadDay(hour);
    }
  }

  #isSummedUp(hour: number): boolean {
    return !this.#hours.has(hour) && this.#day(hour).hours[hour] !== undefined;
  }

  async #reload(hour: number): Promise<void> {
    const read = await this.#records.read<StoredRows>(hourName(hour));
    if (read === null) this.#hours.delete(hour);
    else this.#hours.set(hour, { version: read.version, rows: decodeRows(read.value) });
  }

  async #loadDay(hour: number): Promise<void> {
    const day = Math.floor(hour / 24);
    const read = await this.#records.read<StoredDay>(dayName(day));
    if (read !== null) this.#days.set(day, read.value);
  }

  /** Sums up the hours that are old enough and settled, and deletes days that are too old. */
  async sumUp(now: number): Promise<void> {
    const oldest = Math.floor(now / hourMs) - keptHours;
    for (const [hour, { version, rows }] of [...this.#hours]) {
      const isDone = hour < oldest && [...rows.values()].every(({ isSettled }) => isSettled);
      if (isDone) await this.#sumUp(hour, version, totalsOf(rows.values()));
    }
    for (const day of [...this.#days.keys()]) {
      if (day > Math.floor(now / dayMs) - keptDays) continue;
      await this.#records.replace(dayName(day), null, undefined);
      this.#days.delete(day);
    }
  }

  /** The sum is written first: until the hour is deleted, it is the hour that counts. */
  async #sumUp(hour: number, version: number, totals: EpochTotals): Promise<void> {
    const name = dayName(Math.floor(hour / 24));
    for (;;) {
      // Another server has done it already.
      if ((await this.#records.read<StoredRows>(hourName(hour)))?.version !== version) break;
      const read = await this.#records.read<StoredDay>(name);
      const day: StoredDay = { format: 1, hours: { ...read?.value.hours, [hour]: totals } };
      if (!(await this.#records.replace(name, day, read?.version ?? 0))) continue;
      await this.#records.replace(hourName(hour), null, version);
      break;
    }
    await this.#loadDay(hour);
    await this.#reload(hour);
  }
}

const hourName = (hour: number): string => `${hourPrefix}${padded(hour)}`;
const dayName = (day: number): string => `${dayPrefix}${padded(day)}`;
