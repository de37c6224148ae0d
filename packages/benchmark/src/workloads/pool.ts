import type { MempoolStore, OpenOptions, Submission } from 'mempool-core';
import type { BenchSubject } from '../backends/subject.ts';
import type { Bare, Limit } from '../limits/limit.ts';
import { seal } from './lifecycle.ts';
import { freshTransactions, hashesOf } from './sample.ts';
import { Stored } from './stored.ts';
import type { BarePool, BenchPool, Workload } from './workload.ts';

const callSize = 1_000;
/** Entries of the terminal log, and events, that a pool keeps. */
const kept = 10_000;
let pools = 0;

/** What a pool is opened with, and what it is filled with. */
export interface Stock {
  readonly options: OpenOptions;
  batch(count: number): Submission[];
}

const arrivals: Stock = { options: {}, batch: freshTransactions };

/** A pool of a subject with `n` transactions of one kind stored. */
export class FilledPool implements BenchPool {
  readonly stored: Stored;
  readonly name: string = `bench-${process.pid}-${pools++}`;
  readonly #subject: BenchSubject;
  #options: OpenOptions;
  readonly #stock: Stock;
  #store: MempoolStore | null = null;

  constructor(subject: BenchSubject, n: number, stock: Stock = arrivals) {
    this.#subject = subject;
    this.stored = new Stored(n);
    this.#stock = stock;
    this.#options = stock.options;
  }

  get store(): MempoolStore {
    if (this.#store === null) throw new Error('the pool is not open');
    return this.#store;
  }

  second(): Promise<MempoolStore> {
    return this.#subject.open(this.name, this.#options);
  }

  async reopen(): Promise<void> {
    this.#store = await this.second();
  }

  async fill(n: number, given: Workload['given']): Promise<this> {
    this.#options = { ...this.#options, maxFinalized: given === 'logged' ? Math.max(kept, n) : kept, maxEvents: kept };
    await this.reopen();
    for (let left = n; left > 0; left -= callSize) {
      const transactions = this.#stock.batch(Math.min(left, callSize));
      await this.store.receive(transactions);
      this.stored.add(transactions);
      if (given === 'inflight') await this.store.markInflight(hashesOf(transactions));
      if (given === 'logged') await this.store.drop(hashesOf(transactions), 'benchmark');
    }
    await seal(this);
    return this;
  }

  /** As many ended as the pool keeps: from here on each that ends pushes another one out, as in a pool that has been at work. */
  async age(): Promise<this> {
    for (let left = kept; left > 0; left -= callSize) {
      const transactions = this.#stock.batch(callSize);
      await this.store.receive(transactions);
      await this.store.drop(hashesOf(transactions), 'benchmark');
    }
    return this;
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.#subject.destroy?.(this.name);
  }
}

/** A bare structure with as much in it. */
export class FilledBare implements BarePool {
  readonly stored: Stored;
  readonly bare: Bare;

  constructor(bare: Bare, n: number) {
    this.bare = bare;
    this.stored = new Stored(n);
  }

  static async fill(limit: Limit, n: number, given: Workload['given']): Promise<FilledBare> {
    const pool = new FilledBare(await limit.open(), n);
    for (let left = n; left > 0; left -= callSize) {
      const transactions = freshTransactions(Math.min(left, callSize));
      pool.stored.add(transactions);
      if (given === 'logged') await pool.bare.append(transactions);
      else if (pool.bare.fill !== undefined) await pool.bare.fill(transactions);
      else await pool.bare.insert(transactions);
      if (given === 'inflight') await pool.bare.update(hashesOf(transactions));
    }
    return pool;
  }

  async close(): Promise<void> {
    await this.bare.close();
  }
}
