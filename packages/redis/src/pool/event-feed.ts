import { setTimeout as pause } from 'node:timers/promises';
import { isMempoolError } from 'mempool-core';
import { finalError } from '../connection/connection.ts';
import { Link } from '../connection/link.ts';
import { isSameEndpoint, type RedisOptions } from '../connection/options.ts';
import { readEntry, Stretch } from './stretch.ts';

/** Duration of a blocking read. A pool that was flushed meanwhile is noticed only when the read ends. */
export const blockMs = 1_000;
/** How long the answer may take beyond that. Then the connection is replaced. */
const answerMs = 1_000;
const longestPauseMs = 100;

type Options = RedisOptions & { readonly timeoutMs: number };

/** A store that waits for events. */
export interface FeedReader {
  /** Called when there may be new events. */
  wake(): void;
  /** Asks the server for the end of the log. If the server lost events, the reader calls `restart`. */
  verify(): Promise<unknown>;
}

/** The feeds that have readers. */
const feeds = new Set<EventFeed>();

/** Returns the feed of a pool. All stores of the process with the same options share it. */
export function feedOf(options: Options, prefix: string): EventFeed {
  for (const feed of feeds) if (feed.isOf(options, prefix)) return feed;
  return new EventFeed(options, prefix);
}

/**
 * Waits for new entries of a pool's stream and keeps the newest. It has one connection, while it has readers. The server may have lost
 * entries that the feed has read. So each reader verifies them with the server, once for each stretch and at least once a second.
 */
export class EventFeed {
  readonly #open: (onConnect: () => void) => Link;
  readonly #prefix: string;
  /** True for the options and the prefix of this feed. It is a closure, because a field with the options would show the password. */
  readonly isOf: (options: Options, prefix: string) => boolean;
  readonly #readers = new Set<FeedReader>();
  #link: Link | null = null;
  /** The blocking read waits for events after this number. */
  #position = 0;
  #stretch = new Stretch();
  #restartedAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options, prefix: string) {
    this.#open = (onConnect) => new Link(options, prefix, onConnect);
    this.#prefix = prefix;
    this.isOf = (others, otherPrefix) => otherPrefix === prefix && isSameEndpoint(options, others);
  }

  /** The connection; `null` if there are no readers. */
  get link(): Link | null {
    return this.#link;
  }

  get position(): number {
    return this.#position;
  }

  /** The newest entries. There is another stretch after each gap, error and connection. */
  get stretch(): Stretch {
    return this.#stretch;
  }

  /** Adds a reader. `position` is an end of the log that the reader knows. The feed begins at that of the first reader. */
  join(reader: FeedReader, position: number): void {
    this.#readers.add(reader);
    if (this.#link !== null) return;
    feeds.add(this);
    this.#connect(position, 0);
  }

  leave(reader: FeedReader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    feeds.delete(this);
    this.#link?.close();
    this.#link = null;
  }

  /**
   * Begins again, because the server went back to an earlier state: it no longer has the entries of `stretch`, and its last event is
   * `last`. The feed reconnects, because its connection may lead to another server than the reader's. Does nothing if another reader
   * called it before.
   */
  restart(stretch: Stretch, last: number): void {
    if (stretch !== this.#stretch || this.#link === null) return;
    this.#link.close();
    // Two servers that differ for a while must not make this a busy loop.
    const isSoon = performance.now() - this.#restartedAt < blockMs;
    this.#restartedAt = performance.now();
    this.#connect(last, isSoon ? longestPauseMs : 0);
  }

  #connect(position: number, waitMs: number): void {
    const link = this.#open(() => {
      if (this.#link === link) this.#stretch = new Stretch();
    });
    this.#link = link;
    this.#position = position;
    this.#stretch = new Stretch();
    void this.#follow(link, waitMs);
  }

  async #follow(link: Link, waitMs: number): Promise<void> {
    if (waitMs > 0) await pause(waitMs, undefined, { ref: false });
    for (let failures = 1; this.#link === link; ) {
      try {
        // After a failure a short read first, which shows whether the connection works again.
        const found = await this.#read(link, failures > 0 ? 1 : blockMs);
        if (this.#link !== link) return;
        if (!found) await Promise.any([...this.#readers].map((reader) => reader.verify()));
        if (found || failures > 0) for (const reader of this.#readers) reader.wake();
        failures = 0;
      } catch {
        if (this.#link === link) this.#stretch = new Stretch();
        failures += 1;
        await pause(Math.min(longestPauseMs, 2 ** failures), undefined, { ref: false });
      }
    }
  }

  /**
   * Waits for events after the position. True if there are any within `waitMs`. A write that changes nothing goes first: a replica refuses it
   * (lua/connection/primary.lua), and may have other entries under the same numbers. A server that is demoted while it waits says so.
   */
  async #read(link: Link, waitMs: number): Promise<boolean> {
    const from = `${this.#position}-${Number.MAX_SAFE_INTEGER}`;
    const args = ['COUNT', 100, 'BLOCK', waitMs, 'STREAMS', `${this.#prefix}:events`, from];
    type Entries = [id: Buffer, fields: Buffer[]][];
    const [, reply] = await Promise.all([
      link.read('HDEL', [`${this.#prefix}:meta`, '-'], waitMs + answerMs).catch(refuseReplica),
      link.read<[[key: Buffer, Entries]] | null>('XREAD', args, waitMs + answerMs),
    ]);
    const entries = reply?.[0][1] ?? [];
    if (this.#link !== link) return false;
    for (const [id, fields] of entries) {
      const entry = readEntry(id, fields);
      this.#position = entry.last;
      if (this.#stretch.add(entry)) continue;
      this.#stretch = new Stretch();
      this.#stretch.add(entry);
    }
    return entries.length > 0;
  }
}

/** Ignores the other errors of the write: a server that refuses writes for want of room or of replicas can be read. */
function refuseReplica(error: unknown): void {
  if (isMempoolError(finalError(error), 'ERR_MEMPOOL_READ_ONLY')) throw error;
}
