import type { NamedValue, PoolValue, PutOutcome, RecordPage } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { DiskReserve } from '../file/disk-reserve.ts';
import { damaged, isCount, type Row } from '../file/row.ts';
import { readSql } from '../file/sql-text.ts';
import type { PoolFile } from './pool-file.ts';

const statements = readSql('pool/record-statements.sql');
/** No UTF-8 text has this byte, so it sorts behind every name that begins with a prefix. */
const behindNames = Buffer.of(0xff);

/** The records of the application in a pool's file (K1–K4). Its methods are called inside a transaction. */
export class RecordTable {
  readonly #file: PoolFile;

  constructor(file: PoolFile) {
    this.#file = file;
  }

  /** Returns the step of `putRecord`, at a time by `eventTime`. If the records grow, it needs room on the disk (M3). */
  plan(put: core.CheckedPut, room: DiskReserve, at: number): core.Step<PutOutcome> {
    const totals = this.totals();
    const step = core.putStep(put, totals, this.#former(put.name), at);
    const growth = core.recordGrowth(step, totals);
    if (growth > 0) room.reserve(growth);
    return step;
  }

  /** Writes the change of a record. `at`: the time of the call; `null` for a record of another pool, which has none. */
  write({ name, value, version, bytes }: core.RecordStep, at: number | null): void {
    const key = Buffer.from(name);
    this.#open().run('setRecordTotals', version, bytes);
    if (at !== null) this.#file.run('setRecordTime', at);
    if (value === null) this.#file.run('deleteRecord', key);
    else this.#file.run('putRecord', key, version, core.recordChecksum(key, version, value), value);
  }

  /** Returns a record. @throws `ERR_MEMPOOL_CORRUPT` if it is damaged */
  get(name: string): PoolValue | null {
    const row = this.#open().row('record', Buffer.from(name));
    if (row === undefined) return null;
    const { isIntact, version, value } = decodeRecord(name, row);
    if (!isIntact) throw core.damagedRecord(name);
    return { version, value };
  }

  /** All records, by name. @throws `ERR_MEMPOOL_CORRUPT` if one is damaged */
  *all(): Generator<NamedValue, undefined> {
    for (const { isIntact, ...record } of this.#found({ prefix: '', after: '', limit: 0 })) {
      if (!isIntact) throw core.damagedRecord(record.name);
      yield record;
    }
  }

  /** Adds a record of another pool. */
  restore({ name, version, value }: NamedValue): void {
    const { lastVersion, bytes } = this.totals();
    const total = bytes + Buffer.byteLength(name) + value.length;
    this.write({ name, value, version, bytes: total }, null);
    this.#file.run('setRecordTotals', Math.max(lastVersion, version), total);
  }

  restoreVersion(lastVersion: number): void {
    this.#open().run('setRecordTotals', lastVersion, this.totals().bytes);
  }

  list(query: core.CheckedRecordQuery): RecordPage {
    return core.recordPage(this.#found(query).take(query.limit), query);
  }

  *#found({ prefix, after }: core.CheckedRecordQuery): Generator<core.FoundRecord, undefined> {
    const [from, begin] = [Buffer.from(after), Buffer.from(prefix)];
    const first = Buffer.compare(from, begin) > 0 ? from : begin;
    const end = Buffer.concat([begin, behindNames]);
    for (const row of this.#open().rows('recordsFrom', first, end)) {
      const name = nameOf(row);
      if (name === null) throw damaged(`name of the record ${asHex(row)}`);
      if (name !== after || after === '') yield decodeRecord(name, row);
    }
  }

  #former(name: string): core.FormerRecord | null {
    const row = this.#open().row('formerRecord', Buffer.from(name));
    if (row === undefined) return null;
    return { version: isCount(row.version) ? row.version : null, bytes: Number(row.bytes) };
  }

  /** Returns the numbers of the pool's records. @throws `ERR_MEMPOOL_CORRUPT` if they are damaged */
  totals(): core.RecordTotals {
    const { lastVersion, bytes } = this.#open().row('recordTotals') ?? {};
    if (!isCount(lastVersion) || !isCount(bytes)) throw damaged('numbers of the records');
    return { lastVersion, bytes };
  }

  #open(): PoolFile {
    this.#file.include(statements);
    return this.#file;
  }
}

function asHex({ name }: Row): string {
  return name instanceof Uint8Array ? Buffer.from(name).toString('hex') : String(name);
}

function nameOf({ name }: Row): string | null {
  if (!(name instanceof Uint8Array)) return null;
  const text = Buffer.from(name).toString();
  return Buffer.from(text).equals(name) ? text : null;
}

function decodeRecord(name: string, { version, checksum, value }: Row): core.FoundRecord {
  if (!isCount(version) || !(value instanceof Uint8Array))
    return { name, version: 0, value: new Uint8Array(), isIntact: false };
  const isIntact = checksum === core.recordChecksum(Buffer.from(name), version, value);
  return { name, version, value: new Uint8Array(value), isIntact };
}
