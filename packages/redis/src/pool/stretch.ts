import { createHash } from 'node:crypto';
import type { StoreEvent } from 'mempool-core';
import { decodeEvents } from 'mempool-core/backend';

/** As many entries are kept at least, and at most twice as many, unless they are large. */
const keptEntries = 1_000;
const keptBytes = 2 * 1024 * 1024;

/** An entry of the stream (lua/pool/trail.lua): the events of a call, or a thousand of them. */
export interface Entry {
  /** The number of the event before its first one. */
  readonly from: number;
  /** The number of its last event. */
  readonly last: number;
  readonly epoch: string;
  readonly packed: Buffer;
  /** The trail before it, which identifies the whole history up to there. */
  readonly trail: string;
  readonly at: Buffer | null;
  events: readonly StoreEvent[] | null;
}

/** An end of the log, as the server reported it. */
export interface LogEnd {
  readonly epoch: string;
  readonly last: number;
  readonly trail: string;
}

/** Events, with the entry of the last one. */
interface Found {
  readonly events: readonly StoreEvent[];
  readonly newest: Entry;
}

/** Decodes an entry in an answer of `XREAD`. */
export function readEntry(id: Buffer, fields: readonly Buffer[]): Entry {
  const [epoch, packed, , trail, , at] = fields;
  const [last = 0, size = 0] = String(id).split('-').map(Number);
  const texts = { epoch: String(epoch ?? ''), trail: String(trail ?? '') };
  return { from: last - size, last, ...texts, packed: packed ?? Buffer.alloc(0), at: at ?? null, events: null };
}

/** Returns a mark for lua/pool/events.lua, which identifies an entry and everything before it. */
export function entryMark({ epoch, last, trail, packed, at }: Entry): string {
  const digest = createHash('sha1')
    .update(packed)
    .update(at ?? '')
    .digest('hex');
  return `=${epoch}:${last}:${trail}:${digest}`;
}

/** Entries that were read in sequence on one connection, without a gap, so they are a part of one history. */
export class Stretch {
  #entries: Entry[] = [];
  #bytes = 0;
  /** The last answer of `read`, by its arguments: many streams at the same position share it. */
  #answer: readonly [given: string, found: Found] | null = null;

  /** The number of the last event. */
  get last(): number {
    return this.#entries.at(-1)?.last ?? 0;
  }

  /** Adds the entry if it continues these. Otherwise returns false. */
  add(entry: Entry): boolean {
    const before = this.#entries.at(-1);
    if (before !== undefined && (before.last !== entry.from || before.epoch !== entry.epoch)) return false;
    this.#answer = null;
    this.#entries.push(entry);
    this.#bytes += entry.packed.length;
    if (this.#entries.length > 2 * keptEntries || this.#bytes > keptBytes) this.#forget();
    return true;
  }

  /** True if one of these entries directly follows this end of the log. Then all of them are of the same history. */
  goesOnAt({ epoch, last, trail }: LogEnd): boolean {
    const next = this.#entries.findLast(({ from }) => from <= last);
    return next?.from === last && next.trail === trail && next.epoch === epoch;
  }

  /**
   * Returns up to `limit` events after the number `after`, with the entry of the last one. Returns `null` if some are missing here, if
   * there is none, if the first is damaged, or if the first is older than the `maxEvents` that the log keeps.
   */
  read(after: number, limit: number, maxEvents: number): Found | null {
    const [given, found] = this.#answer ?? [];
    if (found !== undefined && given === `${after} ${limit} ${maxEvents}`) return found;
    const next = this.#find(after, limit, maxEvents);
    this.#answer = next === null ? null : [`${after} ${limit} ${maxEvents}`, next];
    return next;
  }

  #find(after: number, limit: number, maxEvents: number): Found | null {
    const first = this.#entries.findLastIndex(({ from }) => from <= after);
    const events: StoreEvent[] = [];
    let newest: Entry | null = null;
    for (let i = Math.max(0, first); i < this.#entries.length && events.length < limit; i += 1) {
      const entry = this.#entries[i] as Entry;
      if (newest === null && (entry.from > after || entry.last <= this.last - maxEvents)) return null;
      const decoded = eventsOf(entry);
      if (decoded === null) break;
      for (const event of decoded) if (event.eventSeq > after && events.length < limit) events.push(event);
      newest = entry;
    }
    return newest === null || events.length === 0 ? null : { events, newest };
  }

  #forget(): void {
    let [kept, bytes] = [0, 0];
    while (kept < Math.min(keptEntries, this.#entries.length) && bytes <= keptBytes / 2) {
      kept += 1;
      bytes += this.#entries.at(-kept)?.packed.length ?? 0;
    }
    this.#entries = this.#entries.slice(-kept);
    this.#bytes = bytes;
  }
}

/** The events of an entry; `null` if it is damaged. */
function eventsOf(entry: Entry): readonly StoreEvent[] | null {
  const { from, last, packed, at } = entry;
  try {
    entry.events ??= decodeEvents(packed, last, Number(at ?? Number.NaN));
  } catch {
    return null;
  }
  return entry.events.length === last - from ? entry.events : null;
}
