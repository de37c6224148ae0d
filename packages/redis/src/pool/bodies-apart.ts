import type { Connection, Finish } from '../connection/connection.ts';
import type { Page, Reply, Verb } from '../connection/script.ts';
import type { Argument, Piece } from '../connection/script-call.ts';
import { hexOf, textsIn } from './packed.ts';
import { LogRows, PageRows } from './page-rows.ts';
import { nameIn } from './record.ts';

/** Parts of records that a page has although it was asked for without: more than this, and the user may not ask for lengths. */
const mostParts = 4;

/** The last argument of a page that is asked for without its records (lua/pool/page.lua). */
export const apart = 'apart';

type Records = readonly (Buffer | null)[];
/** What a page was read from; how many parts of records came with it, none if they are apart; and its hashes. */
type Head = readonly [epoch: Buffer, lastSeq: number, parts: number, names: () => Piece[]];

/** What becomes of a page, to which the records are added that come behind it, in order. */
export interface Rows {
  add(records: Records): void;
}

/** How the answers of a script are read. `headOf` is called first, and is quick: the server waits for what is asked with it. */
export interface PageKind<Answer, R extends Rows> {
  readonly headOf: (answer: Answer) => Head;
  readonly rowsOf: (answer: Answer) => R;
}

export const seqPages: PageKind<Page, PageRows> = {
  headOf: ([, epoch, lastSeq, names, , , , , ...parts]) => [epoch, lastSeq, parts.length, () => textsIn(names)],
  rowsOf: (answer) => new PageRows(answer),
};

export const logPages: PageKind<Reply<'dump'>, LogRows> = {
  headOf: ([, , , epoch, lastSeq, entries, ...parts]) => [epoch, lastSeq, parts.length, () => entries.map(nameIn)],
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
    const [epoch, lastSeq, parts, readNames] = headOf(reply);
    if (parts > mostParts) refused();
    const names = parts > 0 ? [] : readNames();
    if (names.length === 0) return rowsOf(reply);
    const body = keys[bodyKey] as string;
    const written = ['written', keys, [epoch, lastSeq]] as const;
    const answers = connection.fieldsAndRun([body, names], written, leftMs(), (part) => rows.add(part));
    const rows = rowsOf(reply);
    const [records, received] = await answers;
    if (areSame(names, records, received)) return rows;
    return rowsOf(await connection.runOnce(verb, keys, args, leftMs()));
  };
}

/** The place of the key `body` in lua/pool/keys.lua. */
const bodyKey = 3;

/** Whether records that were read after their page are the same ones. `packed`: the hashes received since, `null` if not known. */
function areSame(names: readonly Piece[], records: readonly Records[], packed: Buffer | null): boolean {
  if (packed === null) return false;
  let i = 0;
  for (const part of records)
    for (const record of part) {
      const { from, to } = names[i++] as Piece;
      if (record === null && to > from) return false;
    }
  if (packed.length === 0) return true;
  const received = new Set(textsIn(packed).map(hexOf));
  return !names.some((name) => received.has(hexOf(name)));
}
