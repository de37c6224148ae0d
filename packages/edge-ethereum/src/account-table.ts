import type { LiveStage, TransactionEvent } from 'mempool-core';
import type { Address } from 'viem';
import type { SignedTransaction } from './raw-transaction.ts';

/** A live transaction of the pool. */
export interface AccountEntry {
  /** The hash in the form of the pool, without `0x`. */
  readonly hash: string;
  readonly from: Address;
  readonly nonce: number;
  readonly stage: LiveStage;
  /** The hash of its block, without `0x`; `null` unless it is Confirmed. */
  readonly block: string | null;
  /** True if the sender was recovered from the signature. False if it is the sender of the pool's verdict. */
  readonly isProven: boolean;
}

/** So many accounts are remembered by the last nonce that became final. */
const maxAccounts = 100_000;

/** Transactions by hash, and by sender and nonce. */
export class AccountTable {
  readonly #byHash = new Map<string, AccountEntry>();
  readonly #bySender = new Map<Address, Map<number, AccountEntry>>();
  /** The nonce after the highest one that became Finalized. */
  readonly #final = new Map<Address, number>();

  get(hash: string): AccountEntry | undefined {
    return this.#byHash.get(hash);
  }

  all(): Iterable<AccountEntry> {
    return this.#byHash.values();
  }

  /** Returns the live transactions of an account, by nonce. */
  of(from: Address): readonly AccountEntry[] {
    return [...(this.#bySender.get(from)?.values() ?? [])].sort((a, b) => a.nonce - b.nonce);
  }

  /** Returns the hashes of the Confirmed transactions in a block, without `0x`. */
  inBlock(block: string): string[] {
    return [...this.#byHash.values()].filter((entry) => entry.block === block).map(({ hash }) => hash);
  }

  /** Returns the first nonce from `chainNonce` on that no live transaction of the account has. */
  nextNonce(from: Address, chainNonce: number): number {
    const own = this.#bySender.get(from);
    let nonce = chainNonce;
    while (own?.has(nonce)) nonce += 1;
    return nonce;
  }

  /** Returns the nonce that the chain expects next, by the blocks that the pool has applied. */
  chainNonce(from: Address): number {
    const own = this.#bySender.get(from);
    let nonce = this.#final.get(from) ?? 0;
    while (own?.get(nonce)?.stage === 'Confirmed') nonce += 1;
    return nonce;
  }

  /** Adds a transaction, or sets its stage. */
  put(entry: AccountEntry): void {
    this.#byHash.set(entry.hash, entry);
    const own = this.#bySender.get(entry.from) ?? new Map<number, AccountEntry>();
    own.set(entry.nonce, entry);
    this.#bySender.set(entry.from, own);
  }

  /** Records that the signature of a transaction is from this account. */
  prove(hash: string, from: Address): void {
    const entry = this.#byHash.get(hash);
    if (entry?.from === from) this.put({ ...entry, isProven: true });
  }

  /** Applies an event of the pool. @param arrived the transaction, if it was not in the table */
  apply({ hash, stage, previous, point }: TransactionEvent, arrived: SignedTransaction | undefined): void {
    const known =
      this.#byHash.get(hash) ?? (arrived && { hash, from: arrived.from, nonce: arrived.fields.nonce, isProven: true });
    if (known === undefined) return;
    if (previous.stage === 'Finalized' && this.#final.get(known.from) === known.nonce + 1)
      this.#final.set(known.from, known.nonce);
    if (stage === 'Finalized') this.finalized(known.from, known.nonce);
    if (stage === 'Finalized' || stage === 'Dropped') this.#remove(hash);
    else this.put({ ...known, stage, block: point?.hash ?? null });
  }

  /** Records that a Finalized transaction used this nonce. */
  finalized(from: Address, nonce: number): void {
    const next = Math.max(nonce + 1, this.#final.get(from) ?? 0);
    this.#final.delete(from);
    this.#final.set(from, next);
    const [oldest] = this.#final.size > maxAccounts ? this.#final.keys() : [];
    if (oldest !== undefined) this.#final.delete(oldest);
  }

  #remove(hash: string): void {
    const entry = this.#byHash.get(hash);
    if (entry === undefined) return;
    this.#byHash.delete(hash);
    const own = this.#bySender.get(entry.from);
    // A replacement may have taken the nonce already.
    if (own?.get(entry.nonce)?.hash === hash) own.delete(entry.nonce);
    if (own?.size === 0) this.#bySender.delete(entry.from);
  }
}
