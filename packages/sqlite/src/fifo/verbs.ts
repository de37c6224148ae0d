import type { Candidate, GossipPage, Transaction } from 'mempool-core';
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
    async take({ budget, claimId, owner, claimMs }, moment, context) {
      const made = new Map<core.ClaimOutcome, readonly Candidate[]>();
      const claim = await write('take', context, (pool) => {
        const untilMs = core.claimEnd(core.callTimeOf(moment.now, now()), claimMs);
        const transactions = core.reapFifo(rows.pending(), budget);
        const step = core.takeStep(pool, transactions, { id: claimId, owner, untilMs });
        made.set(step.outcome, transactions);
        return step;
      });
      // For a repeated call (X2): what is left of its claim.
      const held = (pool: PoolView) => (hasClaims(file, pool.state) ? rows.list('claimedBy', claimId) : []);
      return { ...claim, transactions: made.get(claim) ?? (await read(context, held)).map(core.candidateOf) };
    },
    sweep: (moment, context) =>
      write('sweep', context, (pool) => {
        const before = core.callTimeOf(moment.now, now());
        const ended = hasClaims(file, pool.state) ? rows.list('endedClaims', before, core.maxSweep + 1) : [];
        return core.sweepStep(
          pool,
          ended.map(({ hash }) => hash),
        );
      }),
    since: (query, context) => read(context, () => (query.hashesOnly ? rows.hashesSince(query) : rows.since(query))),
    payloads: (hashes, context) => read(context, () => hashes.map((hash) => rows.body(hash))),
    peekParked: () => [],
    flush: (context) => write('flush', context, (pool) => core.flushStep(pool, [...rows.pending()])),
    setLimits: (limits, context) =>
      write('setLimits', context, (pool) => core.limitsStep(pool, limits, maxTxsOf(pool.state))),
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
