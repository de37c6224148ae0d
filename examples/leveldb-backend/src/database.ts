import { type BatchOperation, ClassicLevel } from 'classic-level';

/** The parts of the database, each a sublevel with its own keys. */
const sections = [
  /** `pool`: what `PoolState` says. */
  'meta',
  /** By hash: live transactions, and those with an entry in the log. */
  'transactions',
  /** By hash: the bytes, written once. */
  'payloads',
  /** By seq: the hash of each Pending transaction. */
  'pending',
  /** By seq: the hash of each Propagated, Acknowledged or Confirmed one. */
  'inflight',
  /** By tick and seq: the hash of each Propagated or Acknowledged one. */
  'waiting',
  /** By the time when they went out, and by seq: the same ones. */
  'sent',
  /** By confirming tick and seq: the hash of each Confirmed one. */
  'confirmed',
  /** The same of each Finalized one whose latest log entry says so. */
  'finalized',
  /** By logSeq. */
  'log',
  /** By the number of the last event of a call: its events. */
  'events',
  /** By tick: the point of each kept block and the hashes it carried. */
  'blocks',
  /** By point: the tick of each kept block. */
  'points',
  /** By hash: the tick of the first kept block that carried it. */
  'sightings',
  /** By operation id: its number and the recorded outcome. */
  'operations',
  /** By number: the operation id. */
  'operationOrder',
  /** By name: the records of the application. */
  'records',
] as const;
export type Section = (typeof sections)[number];

type Level = ClassicLevel<string, Buffer>;
type Sublevel = ReturnType<typeof sublevelOf>;
type Snapshot = ReturnType<Level['snapshot']>;
type Operation = BatchOperation<Level, string, Buffer>;

const encodings = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const;

function sublevelOf(level: Level, section: Section) {
  return level.sublevel<string, Buffer>(section, encodings);
}

interface Range {
  readonly gt?: string;
  readonly gte?: string;
  readonly lte?: string;
  readonly limit?: number;
}

/** Reads one state of the database, unaffected by later writes. */
export interface Reader {
  get(section: Section, key: string): Promise<Buffer | undefined>;
  getMany(section: Section, keys: readonly string[]): Promise<(Buffer | undefined)[]>;
  /** By key. */
  entries(section: Section, range: Range): Promise<[key: string, value: Buffer][]>;
}

/** A key of fixed width, so that keys sort like their numbers. */
export function numberKey(...numbers: readonly number[]): string {
  return numbers.map((number) => number.toString(16).padStart(14, '0')).join('');
}

export function keyNumber(key: string): number {
  return Number.parseInt(key, 16);
}

/** The writes of one call. LevelDB applies a batch completely or not at all. */
export class Batch {
  readonly operations: { type: 'put' | 'del'; section: Section; key: string; value: Uint8Array }[] = [];

  put(section: Section, key: string, value: Uint8Array): void {
    this.operations.push({ type: 'put', section, key, value });
  }

  delete(section: Section, key: string): void {
    this.operations.push({ type: 'del', section, key, value: Buffer.alloc(0) });
  }
}

export class Database {
  readonly #level: Level;
  readonly #sync: boolean;
  readonly #sublevels: Readonly<Record<Section, Sublevel>>;

  private constructor(level: Level, sync: boolean) {
    this.#level = level;
    this.#sync = sync;
    const named = sections.map((section) => [section, sublevelOf(level, section)]);
    this.#sublevels = Object.fromEntries(named) as Record<Section, Sublevel>;
  }

  static async open(path: string, sync: boolean): Promise<Database> {
    const level: Level = new ClassicLevel(path, encodings);
    await level.open();
    return new Database(level, sync);
  }

  /** A reader without a snapshot, for the one writer: nothing changes between its calls. */
  get latest(): Reader {
    return this.#reader(undefined);
  }

  async read<T>(run: (reader: Reader) => Promise<T>): Promise<T> {
    await using snapshot = this.#level.snapshot();
    return await run(this.#reader(snapshot));
  }

  async write({ operations }: Batch): Promise<void> {
    const own = operations.map(
      ({ section, ...operation }) => ({ ...operation, sublevel: this.#sublevels[section] }) as Operation,
    );
    await this.#level.batch(own, { sync: this.#sync });
  }

  /** Whether anything is stored, ours or not. */
  async isEmpty(): Promise<boolean> {
    return (await this.#level.keys({ limit: 1 }).all()).length === 0;
  }

  close(): Promise<void> {
    return this.#level.close();
  }

  #reader(snapshot: Snapshot | undefined): Reader {
    const from = this.#sublevels;
    const options = snapshot === undefined ? {} : { snapshot };
    return {
      get: (section, key) => from[section].get(key, options),
      getMany: (section, keys) => from[section].getMany([...keys], options),
      entries: (section, range) => from[section].iterator({ ...range, ...options }).all(),
    };
  }
}
