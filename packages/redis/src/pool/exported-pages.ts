import type { ChainPoint, Ordering, Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import type { LoadedPage, Reply, Verb } from '../connection/script.ts';
import { readLimit } from './fifo-limits.ts';
import { type BarePart, blockParts, endedParts, type Head, limitsOf, liveParts } from './loaded-pool.ts';
import { positionOf } from './loader.ts';
import * as namedRecord from './named-record.ts';
import { decodeRecord, packHashes, readPoint } from './record.ts';

/** Items of a page of the server. Their bodies may make several pages of the export. */
const pageItems = { live: 500, log: 500, blocks: 16, tags: 500, records: 64 } as const;
const pageBytes = 1024 * 1024;

/** Sends one script. */
type Send = <V extends Verb>(verb: V, args: readonly Argument[]) => Promise<Reply<V>>;

type Row = BarePart<core.LivePart> | BarePart<core.EndedPart>;

/**
 * Yields the parts of a pool in pages, as `exportPages` of a driver does (D3).
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if anything but a Pending transaction is damaged
 */
export function exportedPages(
  { ordering, damage }: Pick<core.DriverOptions, 'ordering' | 'damage'>,
  send: Send,
): AsyncGenerator<core.PoolPart[], undefined> {
  return new Export(ordering, damage, send).pages();
}

class Export {
  readonly #ordering: Ordering;
  readonly #damage: core.DamageReport;
  readonly #send: Send;
  #lastLogSeq = 0;

  constructor(ordering: Ordering, damage: core.DamageReport, send: Send) {
    this.#ordering = ordering;
    this.#damage = damage;
    this.#send = send;
  }

  async *pages(): AsyncGenerator<core.PoolPart[], undefined> {
    const start = await this.#head();
    const [, tip, tick, , lastSeq, lastLogSeq, logFirst, lastEventSeq, , , , , , live] = start;
    const logged = lastLogSeq - logFirst + 1;
    const place = { tick, point: readPoint(tip) };
    yield [{ kind: 'start', ordering: this.#ordering, tip: place, live, logged, lastEventSeq }];
    yield* this.#live(lastSeq);
    this.#lastLogSeq = lastLogSeq;
    yield* this.#ended(lastLogSeq);
    yield* this.#blocks();
    yield [this.#numbersOf(await this.#head())];
    yield* this.#satisfied();
    yield* this.#records();
    const [lastVersion] = await this.#send('recordNumbers', []);
    const [, , , , , , , lastOfAll] = await this.#head();
    yield [{ kind: 'finish', lastVersion, lastEventSeq: lastOfAll }];
  }

  async #head(): Promise<Head> {
    const [, head] = await this.#load('head', '0', 1);
    return head as unknown as Head;
  }

  async #load(what: string, after: string, count: number): Promise<readonly [core.PoolPosition, LoadedPage]> {
    const reply = await this.#send(this.#ordering === 'fifo' ? 'loadFifo' : 'load', [what, after, count]);
    return [positionOf(reply), reply[5] as LoadedPage];
  }

  async *#live(last: number): AsyncGenerator<core.PoolPart[], undefined> {
    for (let after = '0'; after !== ''; ) {
      const [position, page] = await this.#load('live', after, pageItems.live);
      const rows = liveParts(page, this.#ordering, this.#damage)
        .filter(({ state }) => state.seq <= last)
        .sort((a, b) => a.state.seq - b.state.seq);
      yield* this.#withBodies(rows, position);
      after = Number(page[0]) >= last ? '' : String(page[0]);
    }
  }

  async *#ended(lateAfter: number): AsyncGenerator<core.PoolPart[], undefined> {
    for (let after = '0'; after !== ''; ) {
      const [position, page] = await this.#load('log', after, pageItems.log);
      const rows = endedParts(page, this.#ordering, lateAfter);
      this.#lastLogSeq = rows.at(-1)?.logSeq ?? this.#lastLogSeq;
      yield* this.#withBodies(rows, position);
      after = String(page[0]);
    }
  }

  /** Adds the bodies, as many at a time as fit into one answer. */
  async *#withBodies(rows: readonly Row[], position: core.PoolPosition): AsyncGenerator<core.PoolPart[], undefined> {
    for (let at = 0; at < rows.length; ) {
      const wanted = rows.slice(at).filter(({ hasBody }) => hasBody);
      const hashes = packHashes(wanted.map(({ state }) => state.hash));
      const found = wanted.length === 0 ? [] : await this.#send('payloads', [hashes, pageBytes]);
      const page: core.PoolPart[] = [];
      for (let read = 0; at < rows.length; at += 1) {
        const { hasBody, ...row } = rows[at] as Row;
        if (hasBody && read === found.length) break;
        const body = hasBody ? await this.#bodyOf(row.state, found[read++] ?? null, position) : null;
        // One that has ended, and has left the log, since the page was read; or a damaged one that is Pending.
        if (hasBody && body === null) continue;
        page.push({ ...row, body } as core.PoolPart);
      }
      yield page;
    }
  }

  /**
   * Returns `null` if the record may be missing because others changed the pool, or if it is damaged and Pending.
   *
   * @throws `ERR_MEMPOOL_CORRUPT`
   */
  async #bodyOf(state: core.TxState, record: Buffer | null, position: core.PoolPosition): Promise<Transaction | null> {
    const { intact, ...body } = decodeRecord(record);
    if (intact) return { hash: state.hash, ...body };
    const [now] = record === null ? await this.#load('head', '0', 1) : [position];
    return core.samePosition(now, position) ? core.leaveOut(state, this.#damage) : null;
  }

  async *#blocks(): AsyncGenerator<core.PoolPart[], undefined> {
    for (let after = '0'; after !== ''; ) {
      const [, page] = await this.#load('blocks', after, pageItems.blocks);
      yield blockParts(page);
      after = String(page[0]);
    }
  }

  #numbersOf(head: Head): core.NumbersPart {
    const [, tip, tick, floor, lastSeq, , , , maxFinalized, maxRollback, gossip, , lastAt, , maxEvents] = head;
    const point: ChainPoint | null = readPoint(tip);
    return {
      kind: 'numbers',
      tip: { tick, point },
      floor,
      lastSeq,
      lastLogSeq: this.#lastLogSeq,
      lastAt,
      retention: { maxFinalized, maxEvents, maxRollback },
      ...(this.#ordering === 'priority'
        ? { lastGossipSeq: Number(gossip), limits: limitsOf(head) }
        : { lastGossipSeq: 0, limits: { maxTxs: readLimit(head[15]) } }),
    };
  }

  async *#satisfied(): AsyncGenerator<core.PoolPart[], undefined> {
    for (let after = '0'; after !== ''; ) {
      const [, [next, ...items]] = await this.#load('tags', after, pageItems.tags);
      const page: core.PoolPart[] = [];
      for (let i = 0; i < items.length; i += 2)
        page.push({ kind: 'satisfied', tag: String(items[i]), tick: Number(items[i + 1]) });
      yield page;
      after = String(next);
    }
  }

  async *#records(): AsyncGenerator<core.PoolPart[], undefined> {
    for (let after = ''; ; ) {
      const query = { prefix: '', after, limit: pageItems.records };
      const rows = await this.#send('listRecords', namedRecord.pageArguments(query));
      if (rows.length === 0) return;
      yield rows.map((row) => {
        const { isIntact, ...record } = namedRecord.decode(...row);
        if (!isIntact) throw core.damagedRecord(record.name);
        after = record.name;
        return { kind: 'record', record };
      });
    }
  }
}
