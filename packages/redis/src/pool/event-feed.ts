import { setTimeout as pause } from 'node:timers/promises';
import { isMempoolError } from 'mempool-core';
import { finalError } from '../connection/connection.ts';
import { Link } from '../connection/link.ts';
import { isSameEndpoint, type RedisOptions } from '../connection/options.ts';

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
  /** Asks the server for the end of the log, to notice lost events. */
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
 * Waits for new entries of a pool's stream, and then wakes its readers, which read the events themselves. It has one connection, while it
 * has readers.
 */
export class EventFeed {
  readonly #open: () => Link;
  readonly #prefix: string;
  /** True for the options and the prefix of this feed. It is a closure, because a field with the options would show the password. */
  readonly isOf: (options: Options, prefix: string) => boolean;
  readonly #readers = new Set<FeedReader>();
  #link: Link | null = null;
  /** The blocking read waits for events after this number. */
  #position = 0;
  #restartedAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options, prefix: string) {
    this.#open = () => new Link(options, prefix, () => undefined);
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
   * Begins again at `last`, the number of the server's last event, because the server lost events, or because `link` leads to another server
   * than the reader's connection. Does nothing if another reader called it before.
   */
  restart(link: Link | null, last: number): void {
    if (link === null || link !== this.#link) return;
    link.close();
    // Two servers that differ for a while must not make this a busy loop.
    const isSoon = performance.now() - this.#restartedAt < blockMs;
    this.#restartedAt = performance.now();
    this.#connect(last, isSoon ? longestPauseMs : 0);
  }

  #connect(position: number, waitMs: number): void {
    const link = this.#open();
    this.#link = link;
    this.#position = position;
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
        failures += 1;
        await pause(Math.min(longestPauseMs, 2 ** failures), undefined, { ref: false });
      }
    }
  }

  /**
   * Waits for events after the position. True if there are any within `waitMs`. A write that changes nothing goes first: a replica refuses it
   * (lua/connection/primary.lua). A server that is demoted while it waits answers with an error.
   */
  async #read(link: Link, waitMs: number): Promise<boolean> {
    const from = `${this.#position}-${Number.MAX_SAFE_INTEGER}`;
    const args = ['COUNT', 100, 'BLOCK', waitMs, 'STREAMS', `${this.#prefix}:events`, from];
    const [, reply] = await Promise.all([
      link.read('HDEL', [`${this.#prefix}:meta`, '-'], waitMs + answerMs).catch(refuseReplica),
      link.read<[[key: Buffer, entries: [id: Buffer][]]] | null>('XREAD', args, waitMs + answerMs),
    ]);
    const [newest] = reply?.[0][1].at(-1) ?? [];
    if (newest === undefined || this.#link !== link) return false;
    // An id is `<number of the last event>-<how many>` (lua/pool/trail.lua).
    this.#position = Number.parseInt(String(newest), 10);
    return true;
  }
}

/** Ignores the other errors of the write: a server that refuses writes for want of room or of replicas can be read. */
function refuseReplica(error: unknown): void {
  if (isMempoolError(finalError(error), 'ERR_MEMPOOL_READ_ONLY')) throw error;
}
