import type { AnyMempool, OpenOptions, ReceiveOutcome, Submission, Transaction } from 'mempool-core';
import { anyMempool } from 'mempool-core/backend';
import type { Bare, Limit } from '../limits/limit.ts';
import {
  batches,
  freshCalls,
  freshPoint,
  freshTransactions,
  hashesOf,
  never,
  type Priced,
  pricedTransactions,
  priorityOptions,
  Standings,
  Stored,
} from '../setup/samples.ts';
import type { BenchSubject } from '../setup/subject.ts';

/** The `n` transactions before a workload begins: Pending in a FIFO pool, in flight, dropped into its log, or Pending by priority. */
export type Given = 'pending' | 'inflight' | 'logged' | 'priority';

/** Entries of the terminal log, and events, that a pool keeps. */
const kept = 10_000;
const pageSize = 1_000;
let pools = 0;

/** A pool of a subject with `n` transactions in one stage. */
export class FilledPool {
  readonly stored: Stored;
  readonly name: string = `bench-${process.pid}-${pools++}`;
  readonly #subject: BenchSubject;
  readonly #n: number;
  readonly #given: Given;
  readonly #options: OpenOptions;
  readonly #batch: (count: number) => Transaction[];
  #store: AnyMempool | null = null;
  #standings: Standings | null = null;

  constructor(subject: BenchSubject, n: number, given: Given = 'pending') {
    this.#subject = subject;
    this.stored = new Stored(n);
    this.#n = n;
    this.#given = given;
    this.#batch = given === 'priority' ? pricedTransactions : freshTransactions;
    const own = given === 'priority' ? priorityOptions : {};
    this.#options = {
      ...own,
      sweepEveryMs: Number.POSITIVE_INFINITY,
      maxFinalized: given === 'logged' ? Math.max(kept, n) : kept,
      maxEvents: kept,
    };
  }

  get store(): AnyMempool {
    if (this.#store === null) throw new Error('the pool is not open');
    return this.#store;
  }

  /** Another node on the same pool. */
  async second(): Promise<AnyMempool> {
    return anyMempool(await this.#subject.open(this.name, this.#options));
  }

  async reopen(): Promise<void> {
    this.#store = await this.second();
  }

  async fill(): Promise<this> {
    await this.reopen();
    for (const transactions of freshCalls(this.#n, this.#batch)) {
      await this.store.receive(transactions);
      this.stored.add(transactions);
      if (this.#given === 'inflight') await this.store.markInflight(hashesOf(transactions));
      if (this.#given === 'logged') await this.store.drop(hashesOf(transactions), 'failed');
    }
    await this.seal();
    return this;
  }

  /** Fills the terminal log, as in a pool that has been at work: from now on, each transaction that ends pushes another out of it. */
  async age(): Promise<this> {
    for (const transactions of freshCalls(kept, this.#batch)) {
      await this.store.receive(transactions);
      await this.store.drop(hashesOf(transactions), 'failed');
    }
    return this;
  }

  /** An empty block behind everything in flight: a rollback to it touches only what came after. */
  async seal(): Promise<void> {
    await this.confirm([]);
  }

  confirm(seen: readonly string[]): Promise<unknown> {
    return this.store.confirm({ point: freshPoint(), seen, unseen: [] }, never);
  }

  async drop(transactions: readonly Submission[]): Promise<void> {
    for (const hashes of batches(hashesOf(transactions), pageSize)) await this.store.drop(hashes, 'failed');
  }

  /** Newcomers that a full priority pool admits. Priorities are asked for once: from then on only evictions change them. */
  async better(wanted: number): Promise<Priced[]> {
    this.#standings ??= new Standings((await this.store.reap()).map(({ priority }) => priority));
    return this.#standings.better(wanted);
  }

  /** They took the places of the worst. */
  replaced(newcomers: readonly Priced[]): void {
    this.#standings?.replaced(newcomers);
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.#subject.destroy?.(this.name);
  }
}

/** @throws Error where one was refused: its cost would be that of a refusal */
export function checkAdmitted(outcomes: readonly ReceiveOutcome[]): void {
  const refused = outcomes.find(({ kind }) => kind !== 'received');
  if (refused !== undefined) throw new Error(`a transaction was not received: ${refused.kind}`);
}

/** A bare structure with `n` records. */
export interface FilledBare {
  readonly name: string;
  readonly bare: Bare;
  readonly stored: Stored;
  close(): Promise<void>;
}

export async function fillBare({ name, open }: Limit, n: number, given: Given): Promise<FilledBare> {
  const [bare, stored] = [await open(), new Stored(n)];
  for (const transactions of freshCalls(n, freshTransactions)) {
    stored.add(transactions);
    await (bare.fill ?? bare.insert).call(bare, transactions);
    if (given === 'inflight') await bare.update(hashesOf(transactions));
  }
  return { name, bare, stored, close: async () => void (await bare.close()) };
}
