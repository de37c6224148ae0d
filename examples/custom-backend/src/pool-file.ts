import { isDeepStrictEqual } from 'node:util';
import type { Limits, Logger, Retention } from 'mempool-core';
import type { DriverOptions, MemoryPool, MemoryRecord, PoolRecord, Step } from 'mempool-core/backend';
import { decodeContent, type Entry, encodeContent, type HeadEntry } from './entry.ts';
import type { Journal } from './journal.ts';

/** Steps of this many bytes, and of half the file, make it worth while to write the state in their place. */
const compactBytes = 32 * 1024;

type KeptStep = Omit<Step<unknown>, 'outcome'>;

/** The pool in memory: core's `PriorityPool`, or its `MemoryPool` as `inOrderOfArrival` presents it. */
export interface PoolInMemory {
  readonly memory: MemoryPool;
  dump(): Iterable<PoolRecord>;
  restore(record: PoolRecord): void;
  replay(step: KeptStep): void;
}

export function inOrderOfArrival(memory: MemoryPool): PoolInMemory {
  return {
    memory,
    dump: () => memory.dump(),
    restore: (record) => memory.restore(record as MemoryRecord),
    replay: (step) => memory.apply({ outcome: null, ...step }),
  };
}

/** A pool's journal, with the pool in memory that an open replays it into. */
export class PoolFile {
  readonly #head: HeadEntry;
  readonly #journal: Journal;
  readonly #pool: PoolInMemory;
  readonly #log: Logger;
  #stepBytes = 0;

  /** `contents`: the entries after the head. */
  constructor(head: HeadEntry, contents: Iterable<Uint8Array>, journal: Journal, parts: PoolFileParts) {
    this.#head = head;
    this.#journal = journal;
    this.#pool = parts.pool;
    this.#log = parts.log;
    for (const content of contents) this.#replay(decodeContent(content), content.length);
    this.#limit(parts.retention);
  }

  /** X1: one record in the file is the whole call or nothing of it. The pool takes the step afterwards, and not where this throws. */
  keep({ outcome: _, ...step }: Step<unknown>): void {
    if (this.#stepBytes > compactBytes && this.#stepBytes > this.#journal.bytes / 2) this.#compact();
    this.#append({ kind: 'step', step });
  }

  /** Stores the limits that an open of a priority pool names, for later opens too. */
  keepLimits(limits: Partial<Limits>): void {
    if (Object.keys(limits).length === 0) return;
    const record = { kind: 'limits', limits } as const;
    this.#append(record);
    this.#pool.restore(record);
  }

  #append(entry: Entry): void {
    const content = encodeContent(entry);
    this.#journal.append(content);
    this.#stepBytes += content.length;
  }

  /** If this fails, the file only stays longer, and another attempt follows some steps later. */
  #compact(): void {
    this.#stepBytes = 0;
    try {
      this.#journal.replace(this.#state());
    } catch (cause) {
      this.#log('warn', 'the journal was not made shorter', { cause });
    }
  }

  *#state(): Generator<Buffer, undefined> {
    yield encodeContent({ ...this.#head, retention: this.#pool.memory.retention });
    for (const record of this.#pool.dump()) yield encodeContent(record);
  }

  #replay(entry: Entry, bytes: number): void {
    switch (entry.kind) {
      case 'pool':
        this.#pool.memory.retention = entry.retention;
        break;
      case 'step':
        this.#pool.replay(entry.step);
        this.#stepBytes += bytes;
        break;
      default:
        this.#pool.restore(entry);
        break;
    }
  }

  /** Stores the retention that an open names, for later opens too. */
  #limit(named: Partial<Retention>): void {
    const { memory } = this.#pool;
    const retention = { ...memory.retention, ...named };
    if (isDeepStrictEqual(retention, memory.retention)) return;
    this.#append({ ...this.#head, retention });
    memory.retention = retention;
  }
}

export interface PoolFileParts extends Pick<DriverOptions, 'log' | 'retention'> {
  readonly pool: PoolInMemory;
}
