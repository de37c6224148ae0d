import { createHash } from 'node:crypto';
import type { ChainPoint, Mempool, OpenOptions } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, onTestFinished } from 'vitest';
import {
  type Ledger,
  type LedgerPool,
  type LedgerPoolOptions,
  type LedgerRecord,
  ledgerPool,
  memoryLedger,
  openLedger,
  type PoolReport,
  paymentId,
  type Wallet,
} from '../../src/index.ts';
import { fill } from './filled.ts';
import { authorise, encode, transferOf } from './payment.ts';

export interface SceneOptions extends Partial<LedgerPoolOptions> {
  readonly pool?: Partial<OpenOptions>;
}

/** A pool in memory, a ledger in memory and both together, with wallets a, b and c that have 100 each. */
export class Scene {
  readonly reports: PoolReport[] = [];
  readonly options: LedgerPoolOptions;
  readonly pool: Mempool;
  readonly ledger: Ledger;
  readonly payments: LedgerPool;
  #nonce = 0;
  #slot = 0;
  #chain: ChainPoint[] = [];

  constructor(pool: Mempool, ledger: Ledger, options: Partial<LedgerPoolOptions>) {
    this.pool = pool;
    this.ledger = ledger;
    this.options = { transferOf, authorise, report: (report) => this.reports.push(report), ...options };
    this.payments = ledgerPool(pool, ledger, this.options);
  }

  /** `from>to:amount` as a payment that no other equals. */
  payment(text: string) {
    const [, from = '', to = '', amount = ''] = /^(\w+)>(\w+):(\d+)$/.exec(text) ?? [];
    return encode({ from, to, amount: Number(amount), nonce: this.#nonce++ });
  }

  async submitted(text: string) {
    const payment = this.payment(text);
    expect(await this.payments.submit(payment)).toMatchObject({ kind: 'received' });
    return payment;
  }

  /** Applies a block with these transactions. Blocks are numbered, and a fork makes others. */
  async block(...seen: readonly { readonly hash: string }[]): Promise<ChainPoint> {
    const parent = this.#chain.at(-1)?.hash;
    this.#slot += 1;
    const point = { slot: this.#slot, hash: createHash('sha256').update(`block ${this.#slot}`).digest('hex') };
    const outcome = await this.pool.confirm({ point, parent, seen: seen.map(({ hash }) => hash), unseen: [] });
    expect(outcome.kind).toBe('applied');
    this.#chain.push(point);
    return point;
  }

  async blocks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.block();
  }

  /** Applies a block with these transactions and those that make it final, and follows them. */
  async finalized(...seen: readonly { readonly hash: string }[]): Promise<void> {
    await this.block(...seen);
    await this.blocks(2);
    await this.payments.catchUp();
  }

  /** Undoes the last blocks. */
  async undo(count: number): Promise<void> {
    const kept = this.#chain.slice(0, this.#chain.length - count);
    expect(await this.pool.rollback(kept.at(-1) ?? 'origin')).toMatchObject({ kind: 'rolled-back', undone: count });
    this.#chain = kept;
  }

  get height(): number {
    return this.#chain.length;
  }

  /** What each wallet can spend. */
  async available(...ids: readonly string[]): Promise<number[]> {
    const wallets = await Promise.all(ids.map((id) => this.ledger.wallet(id)));
    return wallets.map((wallet) => (wallet === null ? Number.NaN : spendable(wallet)));
  }

  /** The states of the reservations of a transaction, in order. */
  async reservations(of: { readonly hash: string }): Promise<string[]> {
    const prefix = `~${paymentId(this.options.name ?? 'main', of.hash)}:`;
    const states: string[] = [];
    for await (const record of recordsOf(this.ledger)) {
      if (record.type !== 'transfer' || record.transfer.kind !== 'reserve') continue;
      if (!record.transfer.id.startsWith(prefix)) continue;
      const one = await this.ledger.findTransfer(record.transfer.id);
      states.push(one?.source.startsWith('~debt') ? `${one.state} by debt` : (one?.state ?? 'gone'));
    }
    return states;
  }

  async expectClean(): Promise<void> {
    expect((await this.ledger.audit()).faults).toEqual([]);
  }
}

export async function* recordsOf(ledger: Ledger): AsyncGenerator<LedgerRecord, void> {
  for (let seq = 0; ; ) {
    const records = await ledger.records(seq);
    yield* records;
    const last = records.at(-1);
    if (last === undefined) return;
    seq = last.seq;
  }
}

function spendable({ creditsPosted, debitsPosted, debitsPending }: Wallet): number {
  return Number(creditsPosted - debitsPosted - debitsPending);
}

export async function openScene({ pool: poolOptions, ...options }: SceneOptions = {}): Promise<Scene> {
  const pool = await ephemeral.open({ finalizeThreshold: 3, ...poolOptions });
  // Its clock is behind, so that what was just reserved is old enough to be an orphan.
  const ledger = await openLedger(memoryLedger, { currency: 'EUR', now: () => Date.now() - 10_000 });
  onTestFinished(async () => {
    await pool.close();
    await ledger.close();
  });
  await fill(ledger);
  return new Scene(pool, ledger, options);
}
