import { accountTag, type Budget, type PriorityMempool, type ReceiveOutcome } from 'mempool-core';
import type { Chain } from './chain.ts';
import { decodeTransfer, encodeTransfer, type Transfer } from './transfer.ts';

/** A node with its pool. It prints each thing that it does as a line. */
export class Node {
  readonly #pool: PriorityMempool;
  readonly #chain: Chain;

  constructor(pool: PriorityMempool, chain: Chain) {
    this.#pool = pool;
    this.#chain = chain;
  }

  async submit(transfer: Transfer): Promise<void> {
    const outcome = await this.#pool.submit(encodeTransfer(transfer));
    console.log(`  ${name(transfer)} pays ${transfer.fee}: ${told(outcome)}`);
  }

  /** Prints the transactions that a block would take, in their order. */
  async tellOrder(): Promise<void> {
    const ready = await this.#named(await this.#pool.reap());
    const parked = await this.#named((await this.#pool.peekParked()).transactions);
    console.log(`  → ${[...ready, ...parked.map((each) => `(${each})`)].join(', ')}`);
  }

  async propose(budget: Budget): Promise<Transfer[]> {
    return this.#transfers(await this.#pool.reap(budget));
  }

  /** Adds a block to the chain and applies it to the pool. `provides` names its nonces, because not every transfer was in this pool. */
  async apply(transfers: readonly Transfer[]): Promise<void> {
    const place = this.#chain.grow(transfers);
    const seen = transfers.map((transfer) => encodeTransfer(transfer).hash);
    const provides = transfers.map(({ sender, nonce }) => accountTag(sender, nonce));
    const outcome = await this.#pool.confirm({ ...place, seen, provides });
    const confirmed = outcome.kind === 'applied' ? outcome.confirmed : 0;
    console.log(`  block ${place.point.slot}: ${transfers.map(name).join(', ')}; ${confirmed} of them from the pool`);
  }

  async recheck(): Promise<void> {
    const { revised, dropped } = await this.#pool.recheck();
    console.log(`  ${revised} stay, ${dropped} cannot pay any more`);
  }

  async #named(which: readonly { readonly hash: string }[]): Promise<string[]> {
    return (await this.#transfers(which)).map(name);
  }

  async #transfers(which: readonly { readonly hash: string }[]): Promise<Transfer[]> {
    const found = await this.#pool.payloads(which.map(({ hash }) => hash));
    return found.flatMap((each) => (each === null ? [] : [decodeTransfer(each.payload)]));
  }
}

function name({ sender, nonce }: Transfer): string {
  return `${sender}/${nonce}`;
}

function told(outcome: ReceiveOutcome): string {
  switch (outcome.kind) {
    case 'received':
      return outcome.parked ? 'parked' : 'ready';
    case 'replacement-underpriced':
      return `too little to replace, ${outcome.required / 1_000n} for a unit of gas would do`;
    case 'sender-limit':
      return `refused, the sender has ${outcome.limit} already`;
    case 'refused':
      return `refused, ${outcome.log}`;
    case 'duplicate':
    case 'full':
    case 'too-large':
    case 'limit':
    case 'conflict':
    case 'cycle':
      return outcome.kind;
  }
}
