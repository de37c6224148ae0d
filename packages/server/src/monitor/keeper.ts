import { isMempoolError, type Logger, type Mempool, MempoolError, type MempoolEvent, type Usage } from 'mempool-core';
import { readCursor } from 'mempool-core/backend';
import { addGap, fold, setCounts } from './fold.ts';
import { decodeHead, decodePart, type EncodedTally, encodeTally, isForeignHead } from './head-codec.ts';
import { type StoredTotals, storedTotals } from './stored-totals.ts';
import {
  type Bucket,
  freshTally,
  hourRule,
  minuteRule,
  type Part,
  type Series,
  type SeriesRule,
  type Tally,
} from './tally.ts';

/** The methods of a pool that a keeper needs. */
export type RecordPool = Pick<Mempool, 'getRecord' | 'putRecord' | 'listRecords'>;

export interface KeeperOptions {
  readonly records: RecordPool;
  readonly prefix: string;
  readonly log: Logger;
}

/**
 * The outcome of a save.
 *
 * - `stored`, `unchanged`: the pool has the tally.
 * - `conflict`: another monitor saved first. Load its head and continue from it.
 * - `full`: the records have no room. Nothing is lost, because the tally continues and the next save tries again.
 */
export type SaveOutcome = 'stored' | 'unchanged' | 'conflict' | 'full';

/**
 * The outcome of an event.
 *
 * - `counted`: continue.
 * - `restarted`: the pool was made anew, so a fresh tally was begun.
 * - `rewound`: the store went back to a state before counted events. Load the head, which went back as well.
 */
export type Taken = 'counted' | 'restarted' | 'rewound';

/**
 * A tally, and its copy in the pool's records. The copy consists of a head, written by compare-and-set, and of parts, which
 * have the closed buckets. Parts are written before the head that names them, and deleted after the first head that does
 * not name them. So after a kill at any point, all parts of the stored head exist.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  /** The version that the head must have for the next save; `undefined`: it is damaged, so any version is replaced. */
  #version: number | undefined = 0;
  #tally: Tally = freshTally('origin');
  #stored: StoredTotals = storedTotals(this.#tally);
  /** An empty tally is not saved: an empty pool stays empty. */
  #isChanged = false;
  /** Closed buckets by the names of their records, so that a load reads only what is new. */
  #parts: ReadonlyMap<string, readonly Bucket[]> = new Map();
  /** The pool's own counts, until the tally reaches their cursor. */
  #counts: Usage | null = null;
  /** Rewinds since the last event was counted. */
  #rewinds = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** The totals of the head that was stored or loaded last. */
  get stored(): StoredTotals {
    return this.#stored;
  }

  /**
   * Replaces the tally by the one in the records. If there is none or it is damaged, a fresh tally begins with the oldest
   * event that the pool keeps.
   * @throws `ERR_MEMPOOL_INCOMPATIBLE` if a newer version wrote it; `ERR_MEMPOOL_UNSUPPORTED` without records
   */
  async load(): Promise<void> {
    const found = await this.#head();
    if (found !== null && !(await this.#loadParts(found))) return this.load();
    this.#tally = found ?? freshTally('origin');
    this.#counts = null;
    this.#isChanged = false;
    if (found !== null) this.#stored = storedTotals(found);
  }

  /** Counts an event that follows the tally's cursor. */
  take(event: MempoolEvent): Taken {
    if (event.kind === 'lagged') {
      if (event.restarted) return this.#restart(event.cursor, event.missed);
      if (this.#isRewound(event.cursor)) return this.#rewind(event);
    } else this.#rewinds = 0;
    fold(this.#tally, event);
    this.#isChanged = true;
    this.#settleCounts();
    return 'counted';
  }

  /** True at first and after a loss: the keeper then needs the pool's own counts of live transactions, because its may be wrong. */
  get wantsCounts(): boolean {
    return this.#tally.needsCounts && this.#counts === null;
  }

  /** Passes the pool's counts to the keeper, which uses them when the tally has reached their cursor. */
  offerCounts(usage: Usage): void {
    this.#counts = usage;
    this.#settleCounts();
  }

  /** True if all events of that time are counted, and none later. */
  isAt({ cursors, lastEventSeq }: Pick<Usage, 'cursors' | 'lastEventSeq'>): boolean {
    return cursors.events === this.#tally.cursor || (lastEventSeq === 0 && this.#tally.seq === 0);
  }

  /** Saves the tally. @throws the store's errors, and then the next save tries again */
  async save(): Promise<SaveOutcome> {
    if (!this.#isChanged) return 'unchanged';
    const tally = this.#tally;
    const [encoded, totals] = [encodeTally(tally), storedTotals(tally)];
    this.#isChanged = false;
    try {
      const outcome = await this.#put(encoded);
      if (outcome !== 'stored') {
        this.#isChanged = true;
        return outcome;
      }
      this.#stored = totals;
      await this.#adoptParts(tally, encoded);
      return 'stored';
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }

  /**
   * Deletes old parts that the head does not name, which a killed monitor may leave. It keeps younger ones, because another
   * monitor may be about to write a head that names them.
   */
  async tidy(): Promise<void> {
    const { prefix } = this.#options;
    for (const [{ parts }, rule] of seriesOf(this.#tally)) {
      const named = new Set(parts.map((part) => this.#partName(rule, part)));
      const start = `${prefix}${rule.letter}/`;
      for (const name of await this.#namesBelow(start)) {
        const window = Number.parseInt(name.slice(start.length), 10);
        const isOld = (window + 1) * rule.partLength * rule.widthMs <= (this.#tally.at ?? 0) - rule.keptMs;
        if (isOld && !named.has(name)) await this.#options.records.putRecord(name, null);
      }
    }
  }

  #restart(cursor: string, missed: number): Taken {
    this.#tally = freshTally(cursor);
    this.#counts = null;
    this.#rewinds = 0;
    this.#isChanged = true;
    // What the new pool has trimmed already is lost to the tally.
    if (missed > 0) fold(this.#tally, { kind: 'lagged', cursor, missed, restarted: false });
    return 'restarted';
  }

  #isRewound(cursor: string): boolean {
    return (readCursor('events', cursor)?.number ?? 0) < this.#tally.seq;
  }

  /** The head went back with the store. If reading on from there is a rewind again and again, only a fresh tally is right. */
  #rewind({ cursor, missed }: { readonly cursor: string; readonly missed: number }): Taken {
    this.#rewinds += 1;
    if (this.#rewinds <= 2) return 'rewound';
    this.#options.log('warn', 'the monitor begins anew: its saved state does not fit the events of the pool');
    return this.#restart(cursor, missed);
  }

  #settleCounts(): void {
    const counts = this.#counts;
    if (counts === null) return;
    if (this.isAt(counts)) setCounts(this.#tally, counts);
    else if (this.#tally.seq < counts.lastEventSeq) return;
    this.#counts = null;
  }

  async #put(encoded: EncodedTally): Promise<SaveOutcome> {
    const { records } = this.#options;
    for (const part of encoded.newParts) {
      // A conflict is as good: this very content is there.
      const { kind } = await records.putRecord(this.#partName(part.rule, part), part.bytes, { version: 0 });
      if (kind === 'full') return 'full';
    }
    const outcome = await records.putRecord(this.#headName, encoded.head, { version: this.#version });
    if (outcome.kind === 'full' || outcome.kind === 'conflict') return outcome.kind;
    if (outcome.kind === 'fenced')
      throw new MempoolError('ERR_MEMPOOL_INTERNAL', 'a record without a lease was fenced');
    this.#version = outcome.version;
    return 'stored';
  }

  /** The head is stored: what it no longer names can go. */
  async #adoptParts({ minutes, hours }: Tally, { minuteParts, hourParts }: EncodedTally): Promise<void> {
    for (const [series, rule, parts] of [
      [minutes, minuteRule, minuteParts],
      [hours, hourRule, hourParts],
    ] as const) {
      const dropped = series.parts.filter(({ digest }) => !parts.some((part) => part.digest === digest));
      series.parts = parts;
      for (const part of dropped) await this.#options.records.putRecord(this.#partName(rule, part), null);
    }
  }

  /** Also sets the version. */
  async #head(): Promise<Tally | null> {
    try {
      const record = await this.#options.records.getRecord(this.#headName);
      this.#version = record?.version ?? 0;
      return record === null ? null : this.#decoded(record.value);
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      this.#version = undefined;
      this.#tellDamage(this.#headName);
      return null;
    }
  }

  #decoded(bytes: Uint8Array): Tally | null {
    if (isForeignHead(bytes)) {
      const message = `the record ${this.#headName} was written by another version of mempool-server`;
      throw new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', message);
    }
    try {
      return decodeHead(bytes);
    } catch {
      this.#tellDamage(this.#headName);
      return null;
    }
  }

  #tellDamage(record: string): void {
    this.#options.log('error', 'the monitor begins anew: its saved state is damaged', { record });
  }

  /** False if another monitor saved meanwhile and deleted a part since: the tally is outdated. */
  async #loadParts(tally: Tally): Promise<boolean> {
    const loaded = new Map<string, readonly Bucket[]>();
    for (const [series, rule] of seriesOf(tally)) {
      const names = series.parts.map((part) => this.#partName(rule, part));
      const found = await Promise.all(names.map((name) => this.#part(name)));
      if (found.includes(null) && (await this.#isOutdated())) return false;
      series.buckets.unshift(...found.flatMap((buckets) => buckets ?? []));
      for (const [i, name] of names.entries()) {
        const [part, buckets] = [series.parts[i], found[i]];
        if (buckets) loaded.set(name, buckets);
        else if (part) this.#lose(tally, rule, part);
      }
      series.parts = series.parts.filter((_, i) => found[i] !== null);
    }
    this.#parts = loaded;
    return true;
  }

  /** The charts have a gap there. The totals do not need the part. */
  #lose(tally: Tally, rule: SeriesRule, part: Part): void {
    const spanMs = rule.partLength * rule.widthMs;
    addGap(tally, { from: part.window * spanMs, to: (part.window + 1) * spanMs, missed: 0 });
    const record = this.#partName(rule, part);
    this.#options.log('error', 'the monitor lost a part of its charts: the record is missing or damaged', { record });
  }

  async #isOutdated(): Promise<boolean> {
    const version = this.#version;
    await this.#head();
    return this.#version !== version;
  }

  /** `null` if the record is missing or damaged. */
  async #part(name: string): Promise<readonly Bucket[] | null> {
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    try {
      const record = await this.#options.records.getRecord(name);
      return record === null ? null : decodePart(record.value);
    } catch (error) {
      if (isMempoolError(error) && error.code !== 'ERR_MEMPOOL_CORRUPT') throw error;
      return null;
    }
  }

  async #namesBelow(start: string): Promise<string[]> {
    const names: string[] = [];
    for (let after = ''; ; ) {
      const page = await this.#options.records.listRecords(start, { after });
      if (page.records.length + page.damaged.length === 0) return names;
      names.push(...page.records.map(({ name }) => name), ...page.damaged.map(({ name }) => name));
      after = page.next;
    }
  }

  get #headName(): string {
    return `${this.#options.prefix}head`;
  }

  #partName({ letter }: SeriesRule, { window, digest }: Part): string {
    return `${this.#options.prefix}${letter}/${window}-${digest}`;
  }
}

function seriesOf({ minutes, hours }: Tally): [Series, SeriesRule][] {
  return [
    [minutes, minuteRule],
    [hours, hourRule],
  ];
}

/** True if the tally counts the events of the pool with this epoch. */
export function isOfPool({ cursor }: Tally, epoch: string): boolean {
  return readCursor('events', cursor)?.epoch === epoch;
}
