import { type Lease, type Mempool, MempoolError } from 'mempool-core';
import { fromBytes, toBytes } from '../codec/json.ts';

/** Thrown when this node's lease is over: another node leads, and nothing was written. */
export class DeposedError extends Error {
  override readonly name: string = 'DeposedError';
}

/** A record as it was read, with the version to replace it under. */
export interface Read<T> {
  readonly value: T;
  readonly version: number;
}

/** The most bytes of a record's value. */
export const maxRecordBytes = 1_048_576;

/** The most bytes of all names and values of a pool's records. */
export const maxTotalBytes: number = 64 * maxRecordBytes;

const mostOfPage = 1_000;
const bytesOfShort = 4 * 1_048_576;

/** A page ends early only at 8 MiB (O6), and a value has at most 1 MiB: a short one that is far from that has none after it. */
function isLast(page: readonly { readonly value: Uint8Array }[]): boolean {
  return page.length < mostOfPage && page.reduce((sum, { value }) => sum + value.length, 0) < bytesOfShort;
}

/** The records of a namespace, as values of plain data. */
export class Records {
  readonly #pool: Mempool;

  constructor(pool: Mempool) {
    this.#pool = pool;
  }

  async read<T>(name: string): Promise<Read<T> | null> {
    const found = await this.#pool.getRecord(name);
    return found === null ? null : { value: fromBytes<T>(found.value), version: found.version };
  }

  /** All records whose names begin so, in the order of their names; with `after`, the records after this name. */
  async list<T>(prefix: string, after?: string): Promise<({ readonly name: string } & Read<T>)[]> {
    const all: ({ readonly name: string } & Read<T>)[] = [];
    for await (const { name, value, version } of this.#walk(prefix, after))
      all.push({ name, version, value: fromBytes<T>(value) });
    return all;
  }

  /**
   * Replaces the record of this version (0: there is none), with `null` removes it. False: it has another version now.
   * @throws `DeposedError` if the lease is not the live one; `ERR_MEMPOOL_STORE_FULL`
   */
  async replace(name: string, value: object | null, version: number | undefined, lease?: Lease): Promise<boolean> {
    return (await this.#put(name, value, version, lease)) !== null;
  }

  /**
   * Replaces a record of any version, with `null` removes it. Returns the time of this write by the store's clock, in milliseconds since
   * 1970: the pool receives nothing with an earlier time afterwards, even if that clock is set back. @throws as `replace`
   */
  async put(name: string, value: object | null): Promise<number> {
    // Without a version there is no conflict.
    return (await this.#put(name, value)) as number;
  }

  /** The time of the write; `null` if the record has another version. */
  async #put(name: string, value: object | null, version?: number, lease?: Lease): Promise<number | null> {
    const bytes = value === null ? null : toBytes(value);
    const outcome = await this.#pool.putRecord(name, bytes, { version, lease });
    switch (outcome.kind) {
      case 'stored':
        return outcome.at;
      case 'conflict':
        return null;
      case 'fenced':
        throw new DeposedError(`another node leads: ${name} was not written`);
      case 'full':
        throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `no room for the record ${name}`);
    }
  }

  /** Writes the record unless there is one already, and returns the one that is there afterwards. @throws as `replace` */
  async writeOnce<T extends object>(name: string, value: T, lease?: Lease): Promise<T> {
    if (await this.replace(name, value, 0, lease)) return value;
    return (await this.read<T>(name))?.value ?? value;
  }

  /** The bytes of all names and values. It reads them all. */
  async bytes(): Promise<number> {
    let sum = 0;
    for await (const { name, value } of this.#walk('')) sum += Buffer.byteLength(name) + value.length;
    return sum;
  }

  async removeAll(prefix: string, lease?: Lease): Promise<void> {
    for await (const { name } of this.#walk(prefix)) await this.replace(name, null, undefined, lease);
  }

  async *#walk(prefix: string, start?: string) {
    let after = start;
    for (;;) {
      const { records, next } = await this.#pool.listRecords(prefix, { after, limit: mostOfPage });
      yield* records;
      if (isLast(records)) return;
      after = next;
    }
  }
}
