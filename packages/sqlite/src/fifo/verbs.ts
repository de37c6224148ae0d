import type { TakenCandidate, Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Row } from '../file/row.ts';
import type { HashIndex } from '../pool/hash-index.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { PoolView } from '../pool/pool-view.ts';
import { decodeRecord, decodeUnder, readFacts, recordKeyOf } from '../pool/records.ts';
import { limitOf } from './tables.ts';

/** The parts with which the verbs run their transactions. */
export interface FifoParts {
  readonly file: PoolFile;
  readonly hashes: HashIndex;
  readonly read: <T>(context: core.ReadContext, read: (pool: PoolView) => T) => Promise<T>;
  readonly write: <T>(
    verb: string,
    context: core.WriteContext,
    plan: (pool: PoolView, nowMs: number) => core.Step<T>,
  ) => core.Awaitable<T>;
}

/** Returns the optional verbs of a fifo pool. */
export function fifoVerbs(parts: FifoParts, options: core.DriverOptions): core.FifoVerbs {
  const { read, write } = parts;
  const rows = new FifoRows(parts);
  return {
    reap: (budget, context) => read(context, () => core.reapFifo(rows.pending(), budget).map(core.candidateOf)),
    ...core.callVerbs({
      write: (verb, given, context, plan) =>
        write(verb, context, (pool, nowMs) =>
          plan(new core.FifoCall(pool, rows.of(pool)), { nowMs: core.callTimeOf(given.now, nowMs), height: 0 }),
        ),
      inflightTtlMs: options.inflightTtlMs,
      claimed: (id, context) => read(context, ({ state }) => (state.leases > 0 ? rows.claimed(id) : [])),
    }),
    since: (query, context) =>
      read(context, ({ state: { epoch } }) =>
        query.hashesOnly ? rows.hashesSince(query, epoch) : rows.since(query, epoch),
      ),
    payloads: (hashes, context) => read(context, () => hashes.map((hash) => rows.body(hash))),
    peekParked: (after, _limit, context) => read(context, (pool) => core.noneParked(after, pool.state.epoch)),
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

  /** Returns the reads that core's rules need, in the transaction of this view. */
  of({ state }: PoolView): core.FifoPool {
    const claimed = state.leases > 0;
    // The largest safe integer stands for no limit.
    const bound = (value: number) => Math.min(value, Number.MAX_SAFE_INTEGER);
    return {
      ...limitOf(state),
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

  claimed(id: string): TakenCandidate[] {
    return this.list('claimedBy', id).map((one) => core.takenOf(core.candidateOf(one), one.facts ?? core.noFacts));
  }

  since({ after, limit }: core.CheckedGossipQuery, epoch: string): core.DriverGossipPage {
    const found = this.#rows('since', { after, limit });
    const page = core.cutPage(
      found.map(decodeRecord),
      ({ state }) => state !== null,
      (record) => this.#file.reportDamage(record),
    );
    return core.gossipPage(page, { after, epoch }, (record) =>
      core.gossipItem({ hash: record.hash, seq: record.seq, bytes: record.payload.length }, record),
    );
  }

  hashesSince({ after, limit }: core.CheckedGossipQuery, epoch: string): core.DriverGossipPage {
    const found = [...this.#rows('sinceHashes', { after, limit })].map(entryOf);
    const records = found.filter((entry) => hasHash(entry) || this.#file.reportDamage(entry));
    return core.gossipPage({ records, last: found.at(-1) }, { after, epoch }, (entry) => core.gossipItem(entry, null));
  }

  body(hash: string): Transaction | null {
    const bytes = core.hashToBytes(hash);
    const seq = this.#hashes.seqOf(bytes);
    const [row] = seq === undefined ? [] : this.#rows('liveBody', seq);
    if (row === undefined) return null;
    const record = decodeUnder(hash, bytes, row);
    if (record.state === null) return this.#file.reportDamage(record);
    return { hash, payload: record.payload, payloadType: record.payloadType };
  }

  *#entries(name: string, ...values: unknown[]): Generator<core.FifoEntry, undefined> {
    for (const row of this.#rows(name, ...values)) {
      const entry = entryOf(row);
      if (hasHash(entry)) yield entry;
      else this.#file.reportDamage(entry);
    }
  }

  #rows(name: string, ...values: unknown[]): IteratorObject<Row, undefined> {
    return Iterator.from(this.#file.rows(name, ...values));
  }
}

function entryOf(row: Row): core.FifoEntry {
  return { ...recordKeyOf(row), bytes: Number(row.bytes), facts: readFacts(row) ?? core.noFacts };
}

/** M2: a transaction whose hash is lost cannot be returned or moved. */
function hasHash({ hash }: core.FifoEntry): boolean {
  return hash !== '';
}
