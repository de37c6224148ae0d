import { type Mempool, type ReceiveOutcome, utxoTags } from 'mempool-core';
import type { Chain } from './chain.ts';
import { decodePayment, encodePayment, type Payment, spendingOf } from './payment.ts';

/** A node with its pool. It prints each thing that it does as a line. */
export class Node {
  readonly #pool: Mempool;
  readonly #chain: Chain;

  constructor(pool: Mempool, chain: Chain) {
    this.#pool = pool;
    this.#chain = chain;
  }

  async submit(payment: Payment): Promise<void> {
    const transaction = encodePayment(payment);
    const outcome = await this.#pool.submit(transaction);
    const { name, spends, fee } = payment;
    const told = `${name} spends ${spends.join(', ')} and pays ${fee}`;
    console.log(`  ${told}: ${describe(outcome, transaction.payload.length)}`);
  }

  /** Prints the transactions that a block would take, in their order. */
  async tellOrder(): Promise<void> {
    const ready = await this.#named(await this.#pool.reap());
    const parked = await this.#named((await this.#pool.peekParked()).transactions);
    console.log(`  → ${[...ready, ...parked.map((each) => `(${each})`)].join(', ')}`);
  }

  /** Adds a block to the chain and applies it to the pool. `provides` names its inputs and outputs, because not every payment was in this pool. */
  async apply(payments: readonly Payment[]): Promise<void> {
    const spendings = payments.map(spendingOf);
    const parent = this.#chain.tip?.hash;
    const point = this.#chain.grow(spendings);
    const seen = payments.map((payment) => encodePayment(payment).hash);
    const provides = spendings.flatMap(({ inputs, outputs }) => utxoTags(inputs, outputs));
    await this.#pool.confirm({ point, parent, seen, provides });
    console.log(`  block ${point.slot}: ${payments.map(({ name }) => name).join(', ') || 'nothing'}`);
  }

  /** Undoes the last block, in the chain and in the pool. */
  async undo(): Promise<void> {
    const undone = this.#chain.tip?.slot;
    await this.#pool.rollback(this.#chain.shrink() ?? 'origin');
    console.log(`  block ${undone} is undone`);
  }

  async tellEnd(payment: Payment): Promise<void> {
    const status = await this.#pool.status(encodePayment(payment).hash);
    const reason = status.stage === 'Dropped' ? ` (${status.reason})` : '';
    console.log(`  ${payment.name} is ${status.stage}${reason}`);
  }

  async #named(which: readonly { readonly hash: string }[]): Promise<string[]> {
    const found = await this.#pool.payloads(which.map(({ hash }) => hash));
    return found.flatMap((each) => (each === null ? [] : [decodePayment(each.payload).name]));
  }
}

function describe(outcome: ReceiveOutcome, bytes: number): string {
  switch (outcome.kind) {
    case 'received':
      return outcome.parked ? 'parked' : 'ready';
    case 'replacement-underpriced':
      return `too little to replace, ${(Number(outcome.required) * bytes) / 1_000} might do`;
    case 'refused':
      return `refused, ${outcome.log}`;
    case 'full':
      return 'refused, the pool is full';
    case 'duplicate':
    case 'sender-limit':
    case 'too-large':
    case 'limit':
    case 'conflict':
    case 'cycle':
      return outcome.kind;
  }
}
