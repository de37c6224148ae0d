import type { NamedValue, PoolValue, PutOptions, PutOutcome, RecordQuery } from 'mempool-core';

const mostBytes = 64 * 1024 * 1024;

/** A simple model of K1–K4: a map, sorted again for each list. It has no clock: the time of each put is 0. */
export class RecordModel {
  readonly #records = new Map<string, PoolValue>();
  readonly #outcomes = new Map<string, PutOutcome>();
  #version = 0;

  put(name: string, value: Uint8Array | null, { version, operationId = '' }: PutOptions = {}): PutOutcome {
    const known = this.#outcomes.get(operationId);
    if (known !== undefined) return known;
    const outcome = this.#put(name, value, version);
    if (operationId !== '') this.#outcomes.set(operationId, outcome);
    return outcome;
  }

  get(name: string): PoolValue | null {
    return this.#records.get(name) ?? null;
  }

  list(prefix: string, { after = '', limit = 100 }: RecordQuery = {}): NamedValue[] {
    const bytes = (text: string) => Buffer.from(text);
    const names = [...this.#records.keys()].sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
    const behind = (name: string): boolean => after === '' || Buffer.compare(bytes(name), bytes(after)) > 0;
    const wanted = names.filter((name) => name.startsWith(prefix) && behind(name));
    return wanted.slice(0, limit).map((name) => ({ name, ...(this.#records.get(name) as PoolValue) }));
  }

  #put(name: string, value: Uint8Array | null, wanted: number | undefined): PutOutcome {
    const before = this.#records.get(name);
    const present = before?.version ?? 0;
    if (wanted !== undefined && wanted !== present) return { kind: 'conflict', version: present };
    if (value === null && before === undefined) return { kind: 'stored', version: 0, at: 0 };
    const after = new Map(this.#records);
    if (value === null) after.delete(name);
    else after.set(name, { version: this.#version + 1, value: Uint8Array.from(value) });
    if (sizeOf(after) > Math.max(mostBytes, sizeOf(this.#records))) return { kind: 'full' };
    this.#version += 1;
    if (value === null) this.#records.delete(name);
    else this.#records.set(name, after.get(name) as PoolValue);
    return { kind: 'stored', version: value === null ? 0 : this.#version, at: 0 };
  }
}

function sizeOf(records: ReadonlyMap<string, PoolValue>): number {
  let bytes = 0;
  for (const [name, { value }] of records) bytes += Buffer.byteLength(name) + value.length;
  return bytes;
}
