import type { Chain } from 'cardano-chains';
import { type Mempool, type ReceiveOutcome, type Transaction, utxoLimits, utxoTags } from 'mempool-core';
import { openNode } from 'mempool-node';
import { cardanoSpending } from './cardano-transaction.ts';
import { FileChain, makerOf } from './file-chain.ts';
import { judge, type Spending } from './spending.ts';

type Blocks = ReturnType<Chain['blocks']>;
export type ChainBlock = Blocks extends AsyncIterable<infer B> | Iterable<infer B> ? B : never;

/** Counts of a replay. */
export interface Tally {
  blocks: number;
  transactions: number;
  /** Transactions that were never in the pool: only their block arrived. */
  foreign: number;
  /** Transactions that were parked on arrival, because an output that they spend was not made yet. */
  parked: number;
  /** Transactions that the pool did not receive. A chain has no double spend, so there are none. */
  refused: number;
  /** Transactions that were missing from the pool's order when their block arrived, or stood before one whose output they spend. */
  outOfOrder: number;
  /** Transactions left in the pool at the end. */
  left: number;
}

/** Blocks whose transactions come to the pool together, the last one first. */
const windowBlocks = 12;
/** Of so many blocks one is a surprise. */
const foreignEvery = 4;

/** Submits a file's transactions to a pool before their blocks arrive, then applies the blocks. */
export class FileReplay {
  readonly tally: Tally = { blocks: 0, transactions: 0, foreign: 0, parked: 0, refused: 0, outOfOrder: 0, left: 0 };
  readonly #pool: Mempool;
  readonly #chain: FileChain;

  private constructor(pool: Mempool, chain: FileChain) {
    this.#pool = pool;
    this.#chain = chain;
  }

  /** @throws ChainFileError, CborError if the file does not consist of Cardano blocks */
  static async run(file: Chain): Promise<Tally> {
    const chain = new FileChain(file.hashes);
    const config = { backend: 'ephemeral', ordering: 'priority', ...utxoLimits } as const;
    await using opened = await openNode(config, {
      validate: (transaction) =>
        judge(transaction, cardanoSpending(transaction), (outpoint) => chain.stateOf(outpoint)),
    });
    const replay = new FileReplay(opened.pool, chain);
    await replay.#run(file.blocks());
    replay.tally.left = (await opened.pool.usage()).pending;
    return replay.tally;
  }

  async #run(blocks: Blocks): Promise<void> {
    let window: ChainBlock[] = [];
    for await (const block of blocks) {
      window.push(block);
      if (window.length < windowBlocks) continue;
      await this.#pass(window);
      window = [];
    }
    await this.#pass(window);
  }

  async #pass(window: readonly ChainBlock[]): Promise<void> {
    const ours = window.filter((_, i) => i % foreignEvery !== 0);
    const transactions = ours.flatMap((block) => block.transactions).toReversed();
    for (const outcome of await Promise.all(transactions.map((each) => this.#pool.submit(each)))) this.#count(outcome);
    for (const block of window) await this.#apply(block, ours.includes(block));
  }

  #count(outcome: ReceiveOutcome): void {
    if (outcome.kind !== 'received') this.tally.refused += 1;
    else if (outcome.parked) this.tally.parked += 1;
  }

  /** Tells the pool everything that the block did, also for transactions that the pool does not have. */
  async #apply({ slot, hash, parent, transactions }: ChainBlock, isOurs: boolean): Promise<void> {
    if (isOurs) await this.#checkOrder(transactions);
    const spendings = transactions.map(cardanoSpending);
    const provides = spendings.flatMap(({ inputs, outputs }) => utxoTags(inputs, outputs));
    const seen = transactions.map((each) => each.hash);
    await this.#pool.confirm({ point: { slot, hash }, parent: parent ?? undefined, seen, provides });
    transactions.forEach((each, i) => {
      this.#chain.grow(each.hash, spendings[i] as Spending);
    });
    this.tally.blocks += 1;
    this.tally.transactions += transactions.length;
    if (!isOurs) this.tally.foreign += transactions.length;
  }

  /** Checks that each transaction of the next block is ready, and stands after those whose outputs it spends. */
  async #checkOrder(transactions: readonly Transaction[]): Promise<void> {
    const places = new Map((await this.#pool.reap()).map(({ hash }, place) => [hash, place]));
    for (const transaction of transactions) {
      const place = places.get(transaction.hash);
      const makers = cardanoSpending(transaction).inputs.map((input) => places.get(makerOf(input)) ?? -1);
      if (place === undefined || makers.some((maker) => maker > place)) this.tally.outOfOrder += 1;
    }
  }
}
