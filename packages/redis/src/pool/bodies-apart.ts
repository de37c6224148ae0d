import type { Connection, Finish } from '../connection/connection.ts';
import type { Page, Reply, Verb } from '../connection/script.ts';
import { type Argument, fieldsCommands, numbersCommands, type Piece } from '../connection/script-call.ts';
import { hexOf, textsIn } from './packed.ts';
import { LogRows, PageRows } from './page-rows.ts';
import { nameIn } from './record.ts';

/** Parts of records that a page has although it was asked for without: more than this, and the user may not ask for lengths. */
const mostParts = 4;

/** The last argument of a page that is asked for without its records (lua/pool/page.lua). */
export const apart = 'apart';

type Records = readonly (Buffer | null)[];

/** What is known of a page before it is decoded. */
interface Head {
  readonly epoch: Buffer;
  readonly lastSeq: number;
  /** How many parts of records came with it; none if they are apart. */
  readonly parts: number;
  /** Its hashes; or the numbers of the log entries that have them, which are apart too. */
  readonly names: () => Piece[] | LogNumbers;
}

interface LogNumbers {
  readonly first: number;
  readonly count: number;
}

/** What becomes of a page, to which is added what comes behind it, in order. */
export interface Rows {
  add(records: Records): void;
  addEntries?(entries: Records): void;
}

/** How the answers of a script are read. `headOf` is called first, and is quick: the server waits for what is asked with it. */
export interface PageKind<Answer, R extends Rows> {
  readonly headOf: (answer: Answer) => Head;
  readonly rowsOf: (answer: Answer) => R;
}

export const seqPages: PageKind<Page, PageRows> = {
  headOf: ([, epoch, lastSeq, names, , , , , ...parts]) => ({
    epoch,
    lastSeq,
    parts: parts.length,
    names: () => textsIn(names),
  }),
  rowsOf: (answer) => new PageRows(answer),
};

export const logPages: PageKind<Reply<'dump'>, LogRows> = {
  headOf: ([, , first, epoch, lastSeq, entries, ...parts]) => ({
    epoch,
    lastSeq,
    parts: parts.length,
    names: () => (typeof entries === 'number' ? { first, count: entries } : entries.map(nameIn)),
  }),
  rowsOf: (answer) => new LogRows(answer),
};

/** A page that is asked for without its records. */
export interface PageCall<V extends Verb, R extends Rows> {
  readonly verb: V;
  readonly keys: readonly string[];
  /** The arguments with which it has its records. */
  readonly args: readonly Argument[];
  readonly kind: PageKind<Reply<V>, R>;
  /** Called if it came with many records, because the user has no right to ask for their lengths. */
  readonly refused: () => void;
}

/**
 * Puts the records behind a page. They are those of the moment at which its script ran: if one may have been written or deleted since,
 * the page is read again with its records. That is done once, so writers do not hold up a reader. The page and each part of the
 * records are decoded while the server reads the next part.
 */
export function withRecords<V extends Verb, R extends Rows>(
  connection: Connection,
  { verb, keys, args, kind: { headOf, rowsOf }, refused }: PageCall<V, R>,
): Finish<Reply<V>, R> {
  return async (reply, leftMs) => {
    const head = headOf(reply);
    if (head.parts > mostParts) refused();
    if (head.parts > 0) return rowsOf(reply);
    const names = head.names();
    if ('length' in names && names.length === 0) return rowsOf(reply);
    const rest = new Rest(connection, keys, head, leftMs);
    const asked = 'length' in names ? rest.records(names, (part) => rows.add(part)) : rest.entries(names, () => rows);
    const rows = rowsOf(reply);
    await asked;
    return rest.isOfPage() ? rows : rowsOf(await connection.runOnce(verb, keys, args, leftMs()));
  };
}

/** The places of the keys in lua/pool/keys.lua. */
const [bodyKey, logKey] = [3, 4];

/** What is apart from a page. */
class Rest {
  readonly #connection: Connection;
  readonly #keys: readonly string[];
  readonly #head: Head;
  readonly #leftMs: () => number;
  readonly #reading: number;
  readonly #names: Piece[] = [];
  #isMissing = false;
  /** The hashes received since, as they are packed; `null` if not known. */
  #received: Buffer | null = null;

  constructor(connection: Connection, keys: readonly string[], head: Head, leftMs: () => number) {
    this.#connection = connection;
    this.#keys = keys;
    this.#head = head;
    this.#leftMs = leftMs;
    this.#reading = connection.reading;
  }

  /** Reads the records of these, and then what was written since the page. */
  async records(names: readonly Piece[], add: (records: Records) => void): Promise<void> {
    await Promise.all([this.#ofBody(names, add), this.#written()]);
  }

  /** Reads the log entries; the records of each part of them when it has come; and then what was written since the page. */
  async entries({ first, count }: LogNumbers, rows: () => Rows): Promise<void> {
    const onPart = (entries: Records): Promise<unknown> => {
      rows().addEntries?.(entries);
      this.#isMissing ||= entries.includes(null);
      const records = this.#ofBody(entries.map(nameIn), (part) => rows().add(part));
      return this.#names.length < count ? records : Promise.all([records, this.#written()]);
    };
    const commands = numbersCommands(this.#keys[logKey] as string, first, count);
    await this.#connection.readFields(commands, this.#leftMs(), onPart);
  }

  /** False if what was read may be of another moment than the page. */
  isOfPage(): boolean {
    const packed = this.#received;
    if (this.#isMissing || packed === null || this.#connection.reading !== this.#reading) return false;
    if (packed.length === 0) return true;
    const received = new Set(textsIn(packed).map(hexOf));
    return !this.#names.some((name) => received.has(hexOf(name)));
  }

  #ofBody(names: readonly Piece[], add: (records: Records) => void): Promise<void> {
    let at = this.#names.push(...names) - names.length;
    const onPart = (records: Records): void => {
      for (const record of records) {
        const { from, to } = this.#names[at++] as Piece;
        if (record === null && to > from) this.#isMissing = true;
      }
      add(records);
    };
    return this.#connection.readFields(fieldsCommands(this.#keys[bodyKey] as string, names), this.#leftMs(), onPart);
  }

  async #written(): Promise<void> {
    const { epoch, lastSeq } = this.#head;
    this.#received = await this.#connection.readBehind('written', this.#keys, [epoch, lastSeq], this.#leftMs());
  }
}
