import { hash as digest } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type CardanoTransaction, type OutputReference, readTransaction, TransactionError } from 'mempool-cardano';
import type { Mempool } from 'mempool-core';
import type { SeqOrder, Waiting } from 'mempool-server/edge';

/** What is kept of a transaction; `null`: it is none of Cardano, or gone. */
type Moves = {
  /** The concatenated keys of the outputs' addresses. A key has a tenth of the length of an address. */
  readonly paid: string;
  /** The outputs that it spends of transactions that waited when it was read. */
  readonly spends: readonly OutputReference[];
} | null;

/** So many payloads are in memory at once, and other requests wait so long. */
const slice = 25;
/** A pool that takes transactions all the time must not keep a request for ever. */
const maxRounds = 3;
const keyLength = 16;

/** The address, and the part of the result, that a caller wants. */
export interface AddressQuery {
  readonly address: string;
  readonly skip: number;
  readonly count: number;
  readonly order: 'asc' | 'desc';
}

/**
 * An index of waiting transactions by address: those that pay to it, or spend an output of a waiting one that paid to it.
 * The first request reads all payloads; later ones read only those of new transactions.
 */
export class AddressIndex {
  readonly #pool: Mempool;
  readonly #moves = new WeakMap<Waiting, Moves>();
  #reading: Promise<void> | null = null;

  constructor(pool: Mempool) {
    this.#pool = pool;
  }

  /** Returns at most `count` transactions after the first `skip`. @throws the pool's error */
  async find(list: SeqOrder, { address, skip, count, order }: AddressQuery): Promise<Waiting[]> {
    await this.#readNewcomers(list);
    const key = keyOf(address);
    const found: Waiting[] = [];
    for (const waiting of list.inOrder(order)) {
      if (!this.#concerns(list, waiting, key)) continue;
      if (found.push(waiting) === skip + count) break;
    }
    return found.slice(skip);
  }

  async #readNewcomers(list: SeqOrder): Promise<void> {
    for (let round = 0; round < maxRounds; round++) {
      const unread: Waiting[] = [];
      for (const waiting of list.inOrder('asc')) if (!this.#moves.has(waiting)) unread.push(waiting);
      if (unread.length === 0) return;
      this.#reading ??= this.#read(list, unread).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
  }

  #concerns(list: SeqOrder, waiting: Waiting, key: string): boolean {
    const moves = this.#moves.get(waiting);
    if (moves === undefined || moves === null) return false;
    if (isAmong(moves.paid, key)) return true;
    return moves.spends.some(({ hash, index }) => {
      const maker = list.find(hash);
      const paid = maker === undefined ? undefined : this.#moves.get(maker)?.paid;
      return paid?.startsWith(key, index * keyLength) === true;
    });
  }

  async #read(list: SeqOrder, unread: readonly Waiting[]): Promise<void> {
    for (let i = 0; i < unread.length; i += slice) {
      const part = unread.slice(i, i + slice);
      const found = await this.#pool.payloads(part.map(({ hash }) => hash));
      for (const [k, waiting] of part.entries()) {
        const transaction = found[k] ?? null;
        this.#moves.set(waiting, transaction && movesOf(transaction.payload, list));
      }
      await setImmediate();
    }
  }
}

function keyOf(address: string): string {
  return digest('sha256', address, 'base64').slice(0, keyLength);
}

function isAmong(keys: string, key: string): boolean {
  for (let at = 0; at < keys.length; at += keyLength) if (keys.startsWith(key, at)) return true;
  return false;
}

function movesOf(payload: Uint8Array, list: SeqOrder): Moves {
  try {
    const transaction = readTransaction(payload);
    const { outputs, inputs, collateral } = transaction;
    return {
      paid: [...outputs, ...returned(transaction)].map(({ address }) => keyOf(address)).join(''),
      spends: [...inputs, ...collateral].filter(({ hash }) => list.find(hash) !== undefined),
    };
  } catch (error) {
    if (error instanceof TransactionError) return null;
    throw error;
  }
}

/** The collateral return has the number after the other outputs. */
function returned({ collateralReturn }: CardanoTransaction): CardanoTransaction['outputs'] {
  return collateralReturn === null ? [] : [collateralReturn];
}
