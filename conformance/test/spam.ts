import { account, type OpenOptions, type ReceiveOutcome, type Refusal, type Verdict } from 'mempool-core';
import type { Random } from 'mempool-testkit';
import { asTested, type OpenedPool, type TestedPool } from '../src/case/tested-pool.ts';

export interface SpamOptions {
  /** How many spammers there are. */
  readonly senders: number;
  readonly random: Random;
  readonly limits: OpenOptions;
  open(options: OpenOptions): Promise<OpenedPool>;
}

const price = 5n;
/** The honest sender's nonces of one round, in the order in which they are sent. */
const round = [2, 0, 1] as const;

/**
 * A priority pool that many senders flood with what costs them nothing: future nonces, tags that nobody provides, and
 * replacements that pay too little. Between them one honest sender sends its nonces, at the same price.
 */
export class SpammedPool implements AsyncDisposable {
  readonly store: TestedPool;
  /** The answers to the spammers, and to the honest sender, by kind. */
  readonly told = { spam: new Map<string, number>(), honest: new Map<string, number>() };
  readonly #random: Random;
  readonly #senders: number;
  #made = 0;
  #nonce = 0;
  #onChain = 0;
  #blocks = 0;

  private constructor(store: TestedPool, { random, senders }: SpamOptions) {
    this.store = store;
    this.#random = random;
    this.#senders = senders;
  }

  static async open(options: SpamOptions): Promise<SpammedPool> {
    return new SpammedPool(asTested(await options.open({ ordering: 'priority', ...options.limits })), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
  }

  /** One call of a spammer. */
  async spam(): Promise<void> {
    tally(this.told.spam, await this.#receive(this.#spamVerdict()));
  }

  /** A round of the honest sender: one that is parked, then two that are ready. Returns the milliseconds of these two. */
  async sendHonestly(): Promise<number> {
    let begin = 0;
    for (const step of round) {
      const verdict = account('honest', this.#nonce + step, this.#onChain, { priority: price });
      tally(this.told.honest, await this.#receive(verdict));
      if (begin === 0) begin = performance.now();
    }
    this.#nonce += round.length;
    return performance.now() - begin;
  }

  /** A block that carries everything that is ready. Returns how many that were. */
  async mine(): Promise<number> {
    const ready = await this.store.reap();
    this.#blocks += 1;
    const point = { slot: this.#blocks, hash: this.#blocks.toString(16).padStart(64, '0') };
    await this.store.confirm({ point, seen: ready.map(({ hash }) => hash), unseen: [] });
    this.#onChain = this.#nonce;
    return ready.length;
  }

  #spamVerdict(): Verdict | Refusal {
    const sender = `spammer-${this.#random.below(this.#senders)}`;
    const priority = price - 1n + BigInt(this.#random.below(2));
    const way = this.#random.below(10);
    if (way < 6) return account(sender, 1 + this.#random.below(1_000), 0, { priority });
    if (way < 8) return { sender, priority, requires: [`of nobody ${this.#made}`] };
    return account(sender, 1 + this.#random.below(20), 0, { priority: 0n });
  }

  async #receive(verdict: Verdict | Refusal): Promise<ReceiveOutcome> {
    if ('code' in verdict) throw new Error(verdict.log);
    this.#made += 1;
    const hash = this.#made.toString(16).padStart(64, '0');
    const [outcome] = await this.store.receive([{ hash, payload: new Uint8Array(100), payloadType: 0, verdict }]);
    if (outcome === undefined) throw new Error('a call without an outcome');
    return outcome;
  }
}

function tally(counts: Map<string, number>, outcome: ReceiveOutcome): void {
  const { kind } = outcome;
  const name = kind === 'received' && outcome.parked ? 'parked' : kind;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
