import type { Connection, Finish } from '../connection/connection.ts';
import type { Page, Reply, Verb } from '../connection/script.ts';
import type { Argument } from '../connection/script-call.ts';
import { packEntryNames, unpackHashes } from './record.ts';

/** Parts of records that a page has although it was asked for without: more than this, and the user may not ask for lengths. */
const mostParts = 4;

/** The last argument of a page that is asked for without its records (lua/pool/page.lua). */
export const apart = 'apart';

type Records = (Buffer | null)[];
/** What a page was read from; its records in parts, none if they are apart; and its hashes, packed. */
type Head = readonly [epoch: Buffer, lastSeq: number, parts: readonly Records[], packNames: () => Buffer];

export function pageHead([, epoch, lastSeq, names, , , , , ...parts]: Page): Head {
  return [epoch, lastSeq, parts, () => names];
}

export function logHead([, , , epoch, lastSeq, entries, ...parts]: Reply<'dump'>): Head {
  return [epoch, lastSeq, parts, () => packEntryNames(entries)];
}

/** A page that is asked for without its records. */
export interface PageCall<V extends Verb> {
  readonly verb: V;
  readonly keys: readonly string[];
  /** The arguments with which it has its records. */
  readonly args: readonly Argument[];
  readonly headOf: (reply: Reply<V>) => Head;
  /** Called if it came with many records, because the user has no right to ask for their lengths. */
  readonly refused: () => void;
}

/**
 * Puts the records behind a page. They are those of the moment at which its script ran: if one may have been written or deleted since,
 * the page is read again with its records. That is done once, so writers do not hold up a reader.
 */
export function withRecords<V extends Verb>(connection: Connection, call: PageCall<V>): Finish<Reply<V>> {
  const { verb, keys, args, headOf, refused } = call;
  return async (reply, leftMs) => {
    const [epoch, lastSeq, parts, packNames] = headOf(reply);
    if (parts.length > mostParts) refused();
    const names = parts.length > 0 ? null : packNames();
    if (names === null || names.length === 0) return reply;
    const body = keys[bodyKey] as string;
    const [records, written] = await connection.fieldsAndRun(
      [body, names],
      ['written', keys, [epoch, lastSeq]],
      leftMs(),
    );
    if (areSame(names, records, written))
      return [...(reply as unknown as unknown[]), ...records] as unknown as Reply<V>;
    return connection.runOnce(verb, keys, args, leftMs());
  };
}

/** The place of the key `body` in lua/pool/keys.lua. */
const bodyKey = 3;

/** Whether records that were read after their page are the same ones. `written`: the hashes received since, `null` if not known. */
function areSame(names: Buffer, records: readonly Records[], written: Buffer | null): boolean {
  if (written === null) return false;
  let at = 0;
  for (const part of records)
    for (const record of part) {
      const size = names[at] as number;
      if (record === null && size > 0) return false;
      at += 1 + size;
    }
  const received = new Set(unpackHashes(written));
  return received.size === 0 || !unpackHashes(names).some((hash) => received.has(hash));
}
