/** Checks that the pool refuses nodes that do not lead: compares each block with the lease held then, and makes late calls. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { entriesOf, type FailoverRecorder, LeaseWitness, parseFailoverRecord } from 'mempool-conformance/failover';
import type { Block, Lease, Mempool } from 'mempool-core';
import { type LeaseStore, systemClock } from 'mempool-election';
import { redisElection } from 'mempool-redis';

export interface FenceCheckParts {
  readonly url: string;
  readonly pool: string;
  readonly ttlMs: number;
  /** The file of the run's record. */
  readonly record: string;
  readonly recorder: FailoverRecorder;
  readonly mempool: Mempool;
}

const commandTimeoutMs = 2_000;

export class FenceCheck implements AsyncDisposable {
  readonly #parts: FenceCheckParts;
  readonly #leases: LeaseStore;
  readonly #witness: LeaseWitness;
  readonly #ending = new AbortController();
  readonly #watching: Promise<void>;

  /** Watches from now on who holds the lease, over a connection to Redis that no fault affects. */
  static async open(parts: FenceCheckParts): Promise<FenceCheck> {
    const { url, pool: keyPrefix, ttlMs } = parts;
    const common = { name: 'watcher', ttlMs, commandTimeoutMs, clock: systemClock, log: () => {} };
    return new FenceCheck(parts, await redisElection.open({ ...common, url, keyPrefix }));
  }

  private constructor(parts: FenceCheckParts, leases: LeaseStore) {
    this.#parts = parts;
    this.#leases = leases;
    const { recorder, mempool } = parts;
    const newestEvent = async () => (await mempool.usage()).lastEventSeq;
    this.#witness = new LeaseWitness({ recorder, leases, newestEvent });
    this.#watching = this.#witness.watch(this.#ending.signal);
  }

  /** Tries to apply a block on the pool's tip under every ended lease of the run, and under one that never existed. */
  async callLate(block: Block): Promise<void> {
    const { recorder, mempool } = this.#parts;
    const { lease, term } = await this.#leases.observe();
    const never = { nodeId: lease?.nodeId ?? 'nobody', token: randomUUID(), term };
    const writer = recorder.pool(mempool);
    for (const late of [...(await this.#leasesBut(lease?.token)), never])
      await writer.confirm(block, {}, { lease: late });
    await this.#witness.look();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#watching;
    await this.#leases.close();
  }

  async #leasesBut(live: string | undefined): Promise<Lease[]> {
    const record = parseFailoverRecord(await readFile(this.#parts.record, 'utf8'));
    const over = entriesOf(record, 'acquired').filter(({ token }) => token !== live);
    return over.map(({ node: nodeId, token, term }) => ({ nodeId, token, term }));
  }
}
