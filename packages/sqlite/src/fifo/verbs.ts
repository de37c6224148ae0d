import type { GossipPage, Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Row } from '../file/row.ts';
import type { HashIndex } from '../pool/hash-index.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { PoolView } from '../pool/pool-view.ts';
import { decodeRecord, intact, recordKeyOf } from '../pool/records.ts';
import { hasClaims, maxTxsOf } from './tables.ts';

/** How the verbs run their transactions. */
export interface FifoParts {
  readonly file: PoolFile;
  readonly hashes: HashIndex;
  readonly read: <T>(context: core.ReadContext, read: (pool: PoolView) => T) => Promise<T>;
  readonly write: <T>(
    verb: string,
    context: core.WriteContext,
    plan: (pool: PoolView) => core.Step<T>,
  ) => core.Awaitable<T>;
}

/** The verbs of a fifo pool beside those of every pool. */
export function fifoVerbs(parts: FifoParts, options: core.DriverOptions): core.FifoVerbs {
  const { file, read, write } = parts;
  const rows = new FifoRows(parts);
  const now = core.poolClock(options);
  return {
    reap: (budget, context) => read(context, () => core.reapFifo(rows.pending(), budget)),
    ...core.callVerbs({
      write: (verb, given, context, plan) =>
        write(verb, context, (pool) =>
          plan(new core.FifoCall(pool, rows.of(pool)), { nowMs: core.callTimeOf(given.now, now()), height: 0 }),
        ),
      claimed: (id, context) =>
        read(context, ({ state }) => (hasClaims(file, state) ? rows.list('claimedBy', id).map(core.candidateOf) : [])),
    }),
    since: (query, context) => read(context, () => (query.hashesOnly ? rows.hashesSince(query) : rows.since(query))),
    payloads: (hashes, context) => read(context, () => hashes.map((hash) => rows.body(hash))),
    peekParked: () => [],
  };
}

/** Queries of a fifo pool, inside a transaction. */
class FifoRows {
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;

  constructor({ file, hashes }: FifoParts) {
    this.#file = file;
    this.#hashes = hashes;
  }

  /** What core's rules ask, in the transaction of this view. */
  of({ state }: PoolView): core.FifoPool {
    const claimed = hasClaims(this.#file, state);
    // The largest safe integer stands for no limit.
    const bound = (value: number) => Math.min(value, Number.MAX_SAFE_INTEGER);
    return {
      maxTxs: maxTxsOf(state),
      pending: () => this.pending(),
      due: (nowMs, limit) => (state.held > 0 ? this.list('due', bound(nowMs), bound(limit)) : []),
      ended: (nowMs, limit) => (claimed ? this.list('endedClaims', nowMs, limit).map(({ hash }) => hash) : []),
      claim: (id) => {
        const { untilMs, held } = (claimed ? this.#file.row('claim', id) : undefined) ?? {};
        return Number(held ?? 0) === 0 ? null : { untilMs: Number(untilMs), held: Number(held) };
      },
    };
  }

  pending(): Iterable<core.FifoEntry> {
    return this.#entries('pendingEntries');
  }

  list(name: string, ...values: unknown[]): core.FifoEntry[] {
    return [...this.#entries(name, ...values)];
  }

  since(query: core.CheckedGossipQuery): GossipPage {
    const { after, limit } = query;
    const found = this.#rows('since', { after, limit });
    const page = core.cutPage(found.map(decodeRecord), ({ state }) => state !== null);
    const items = page.map((record) =>
      core.gossipItem({ hash: record.hash, seq: record.seq, bytes: record.payload.length }, record),
    );
    return core.gossipPage(items, query);
  }

  /** The cursor moves past damaged rows, even if all rows are damaged (M2). */
  hashesSince({ after, limit }: core.CheckedGossipQuery): GossipPage {
    const found = [...this.#rows('sinceHashes', { after, limit })];
    const items = found.map((row) => this.#entry(row)).filter((entry) => entry !== null);
    return { items: items.map((entry) => core.gossipItem(entry, null)), next: Number(found.at(-1)?.seq ?? after) };
  }

  /** @throws `ERR_MEMPOOL_CORRUPT` */
  body(hash: string): Transaction | null {
    const bytes = core.hashToBytes(hash);
    const seq = this.#hashes.seqOf(bytes);
    const [row] = seq === undefined ? [] : this.#rows('liveBody', seq);
    if (row === undefined) return null;
    const record = decodeRecord({ ...row, hash: bytes });
    intact(record, record.state);
    return { hash, payload: record.payload, payloadType: record.payloadType };
  }

  *#entries(name: string, ...values: unknown[]): Generator<core.FifoEntry, undefined> {
    for (const row of this.#rows(name, ...values)) {
      const entry = this.#entry(row);
      if (entry !== null) yield entry;
    }
  }

  /** M2: a transaction whose hash is lost cannot be returned or moved. */
  #entry(row: Row): core.FifoEntry | null {
    const key = recordKeyOf(row);
    return key.hash === '' ? this.#file.reportDamage(key) : { ...key, bytes: Number(row.bytes) };
  }

  #rows(name: string, ...values: unknown[]): IteratorObject<Row, undefined> {
    this.#file.include('fifo/statements.sql');
    return Iterator.from(this.#file.rows(name, ...values));
  }
}
