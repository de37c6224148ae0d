import { hash } from 'node:crypto';
import type { Block, DropReason, Submission } from 'mempool-core';
import { DemoRandom } from './demo-random.ts';

/** One action of the demo. The actions of one step are run in order. */
export type DemoAction =
  | { readonly kind: 'submit'; readonly transactions: readonly Submission[] }
  | { readonly kind: 'send' | 'acknowledge' | 'release'; readonly hashes: readonly string[] }
  | { readonly kind: 'drop'; readonly hashes: readonly string[]; readonly reason: DropReason }
  | { readonly kind: 'block'; readonly seen: readonly string[] }
  /** The chain is rolled back by `depth` blocks. */
  | { readonly kind: 'fork'; readonly depth: number };

/** Where a transaction of the demo is, as far as its traffic knows. */
interface Traffic {
  readonly waiting: string[];
  readonly sent: string[];
  readonly acknowledged: string[];
  /** The hashes in each of the last blocks, oldest block first. */
  readonly blocks: string[][];
}

const stepsPerBlock = 8;
const deepestFork = 3;
const accounts = 40;
/** More may wait than one block takes, so that priorities matter; not without end. */
const mostWaiting = 300;
const perBlock = 12;

/** Generates traffic and blocks: wallets that submit, a node that sends, blocks, forks. The same seed gives the same actions. */
export class DemoWorld {
  readonly #random: DemoRandom;
  readonly #name: string;
  readonly #traffic: Traffic = { waiting: [], sent: [], acknowledged: [], blocks: [] };
  #steps = 0;
  #made = 0;

  /** @param origin tells the runs on one pool apart, so that each has transactions of its own */
  constructor(seed: number, origin: string) {
    this.#name = `demo ${seed} ${origin}`;
    this.#random = new DemoRandom(seed);
  }

  /** Continues with the transactions that an earlier run left in the pool. */
  adopt({ pending, inflight }: { readonly pending: readonly string[]; readonly inflight: readonly string[] }): void {
    this.#traffic.waiting.push(...pending);
    this.#traffic.acknowledged.push(...inflight);
  }

  /** Returns the actions of the next step. */
  next(): DemoAction[] {
    this.#steps += 1;
    const actions = [...this.#answers(), ...this.#sending(), ...this.#submitting()];
    if (this.#steps % stepsPerBlock === 0) actions.push(...this.#mining());
    return actions;
  }

  #submitting(): DemoAction[] {
    const { waiting } = this.#traffic;
    // Traffic comes in waves, so that the pool fills and empties.
    const wave = 1.5 + Math.sin(this.#steps / 60);
    const count = waiting.length < mostWaiting ? this.#random.below(Math.round(3 * wave) + 1) : 0;
    const transactions = Array.from({ length: count }, () => this.#transaction());
    waiting.push(...transactions.map((transaction) => transaction.hash));
    return count === 0 ? [] : [{ kind: 'submit', transactions }];
  }

  #transaction(): Submission {
    const random = this.#random;
    this.#made += 1;
    const sender = `account-${random.below(accounts)}`;
    const fee = Math.round(10 ** (1 + 3 * random.next()));
    const text = {
      nonce: this.#made,
      from: sender,
      to: `account-${random.below(accounts)}`,
      amount: random.below(100_000),
      fee,
    };
    const payload = Buffer.from(JSON.stringify({ ...text, memo: '.'.repeat(random.below(600)) }));
    const provides = random.chance(0.1) ? [`${sender}/slot`] : [];
    const verdict = { priority: BigInt(fee), sender, gas: 21_000 + random.below(200_000), provides };
    return { hash: hash('sha256', `${this.#name} ${this.#made}`, 'hex'), payload, payloadType: 0, verdict };
  }

  /** A node sends what waits; which one goes first is up to chance here: the pool's order is for its readers. */
  #sending(): DemoAction[] {
    const hashes = this.#some(this.#traffic.waiting, 2);
    this.#traffic.sent.push(...hashes);
    return hashes.length === 0 ? [] : [{ kind: 'send', hashes }];
  }

  /** Peers take most of what was sent. Some do not answer, some refuse. */
  #answers(): DemoAction[] {
    const { sent, acknowledged, waiting } = this.#traffic;
    const actions: DemoAction[] = [];
    const hashes = sent.splice(0, this.#random.below(sent.length + 1));
    if (hashes.length === 0) return actions;
    if (this.#random.chance(0.08)) {
      waiting.push(...hashes);
      actions.push({ kind: 'release', hashes });
    } else if (this.#random.chance(0.04)) {
      actions.push({
        kind: 'drop',
        hashes,
        reason: this.#random.chance(0.5) ? 'invalid' : { app: 'refused by a peer' },
      });
    } else {
      acknowledged.push(...hashes);
      actions.push({ kind: 'acknowledge', hashes });
    }
    return actions;
  }

  /** A block, and now and then a fork before it, whose transactions are not all in the blocks that replace it. */
  #mining(): DemoAction[] {
    const { acknowledged, blocks, waiting } = this.#traffic;
    const actions: DemoAction[] = [];
    if (blocks.length > deepestFork && this.#random.chance(0.12)) {
      const depth = 1 + this.#random.below(deepestFork);
      const undone = blocks.splice(blocks.length - depth);
      actions.push({ kind: 'fork', depth });
      for (const seen of undone) {
        const again = seen.filter(() => this.#random.chance(0.7));
        waiting.push(...seen.filter((each) => !again.includes(each)));
        actions.push(this.#block(again));
      }
    }
    const own = this.#some(acknowledged, perBlock + this.#random.below(perBlock));
    actions.push(this.#block(own));
    return actions;
  }

  #block(seen: string[]): DemoAction {
    const { blocks } = this.#traffic;
    blocks.push(seen);
    if (blocks.length > deepestFork + 1) blocks.shift();
    return { kind: 'block', seen };
  }

  /** Takes up to `most` of a list, in a random order. */
  #some(list: string[], most: number): string[] {
    const taken: string[] = [];
    while (taken.length < most && list.length > 0) taken.push(...list.splice(this.#random.below(list.length), 1));
    return taken;
  }
}

/** Returns the block that follows a tip in the demo. */
export function demoBlock(parent: Block['point'] | null, seen: readonly string[], turn: string): Omit<Block, 'parent'> {
  const slot = (parent?.slot ?? 0) + 1;
  return { point: { slot, hash: hash('sha256', `${turn} ${slot} ${parent?.hash ?? ''}`, 'hex') }, seen, unseen: [] };
}
