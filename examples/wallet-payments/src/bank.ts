import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ChainPoint, Mempool, OpenOptions } from 'mempool-core';
import { availableOf, balanceOf, type Ledger, type LedgerPool, ledgerPool, openLedger } from 'mempool-ledger';
import { sqliteLedger } from 'mempool-ledger/sqlite';
import { sqlite } from 'mempool-sqlite';
import { authorise, encodePayment, type Payment, transferOf } from './payment.ts';

/** A pool, a ledger and both together, in two files of a folder. It prints each thing that it does as a line. */
export class Bank implements AsyncDisposable {
  readonly ledger: Ledger;
  readonly payments: LedgerPool;
  readonly #pool: Mempool;

  private constructor(pool: Mempool, ledger: Ledger) {
    this.#pool = pool;
    this.ledger = ledger;
    const report = ({ kind }: { readonly kind: string }) => console.log(`  the ledger reports: ${kind}`);
    // Nobody else is at work here, so what an earlier process has left is old enough at once.
    this.payments = ledgerPool(pool, ledger, { transferOf, authorise, orphanAfterMs: 1, report });
  }

  static async open(folder: string, options: OpenOptions = {}): Promise<Bank> {
    const pool = await sqlite.open({ path: join(folder, 'pool.db'), finalizeThreshold: 2, ...options });
    const ledger = await openLedger(sqliteLedger, { path: join(folder, 'ledger.db'), currency: 'EUR' });
    return new Bank(pool, ledger);
  }

  async createWallet(id: string, cents: bigint): Promise<void> {
    await this.ledger.createWallet({ id, owner: id, currency: 'EUR' });
    const start = { source: '~vault', destination: id, amount: cents, currency: 'EUR' };
    await this.ledger.transfer({ id: `start of ${id}`, ...start });
  }

  async submit(payment: Payment): Promise<void> {
    const { from, to, cents } = payment;
    const outcome = await this.payments.submit(encodePayment(payment));
    const told = outcome.kind === 'refused' ? `refused, ${outcome.log}` : outcome.kind;
    console.log(`  ${from} pays ${to} ${cents}: ${told}`);
  }

  /** Applies a block to the pool. A fork is a block of another name at the same height. */
  async block(name: string, ...payments: readonly Payment[]): Promise<void> {
    const { point: tip } = await this.#pool.tip();
    const point = { slot: (tip?.slot ?? 0) + 1, hash: createHash('sha256').update(`block ${name}`).digest('hex') };
    const seen = payments.map((payment) => encodePayment(payment).hash);
    await this.#pool.confirm({ point, parent: tip?.hash, seen });
    console.log(`  block ${name}`);
  }

  async undo(count: number): Promise<void> {
    const { points } = await this.#pool.tip({ points: count + 1 });
    const target: ChainPoint | 'origin' = points[count] ?? 'origin';
    await this.#pool.rollback(target);
    console.log(`  undone: ${count} blocks`);
  }

  async drop(payment: Payment): Promise<void> {
    await this.#pool.drop([encodePayment(payment).hash], { app: 'withdrawn' });
    console.log('  withdrawn');
  }

  /** Settles what the pool has done, and prints what the wallets have. */
  async settle(): Promise<void> {
    await this.payments.catchUp();
    for (const { id, ...wallet } of (await this.ledger.wallets()).items) {
      if (id !== '~vault') console.log(`  → ${id} has ${balanceOf(wallet)}, can spend ${availableOf(wallet)}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
    await this.ledger.close();
  }
}
