import { Random } from 'mempool-testkit';
import { type LedgerPool, ledgerPool } from '../../src/index.ts';
import { faultsAtRest, rest } from './at-rest.ts';
import { Crash, crash, type Fault, FaultyProcess, stall } from './faults.ts';
import { encode } from './payment.ts';
import type { Scene } from './scene.ts';

type Payment = ReturnType<typeof encode>;

/** A random history of a pool and its ledger, by processes that crash and processes that stand still and go on later. */
export class RandomHistory {
  readonly #random: Random;
  readonly #scene: Scene;
  readonly #payments: Payment[] = [];
  /** Processes that stand still. */
  readonly #stalled: { readonly release: () => void; readonly done: Promise<unknown> }[] = [];
  #nonce = 0;

  constructor(seed: number, scene: Scene) {
    this.#random = new Random(seed);
    this.#scene = scene;
  }

  async run(steps: number): Promise<void> {
    for (let i = 0; i < steps; i++) await this.#step();
    for (const { release, done } of this.#stalled.splice(0)) {
      release();
      await done;
    }
  }

  /** Settles everything, and says what is wrong then. */
  async faults(): Promise<string[]> {
    const { pool, ledger, payments, options } = this.#scene;
    await rest(pool, payments);
    return faultsAtRest(pool, ledger, options.postOn === 'confirmed' ? ['Confirmed', 'Finalized'] : ['Finalized']);
  }

  async #step(): Promise<void> {
    const { pool } = this.#scene;
    const some = this.#some();
    const hashes = some.map(({ hash }) => hash);
    switch (this.#random.below(14)) {
      case 0:
      case 1:
      case 2:
        return this.#as((process) => process.submit(this.#new()));
      case 3:
        return this.#as((process) => process.receive([...some, this.#new()]));
      case 4:
        return void (await pool.receive([this.#new(), ...some]));
      case 5:
      case 6:
        return void (await this.#scene.block(...some));
      case 7:
        if (this.#scene.height > 0) await this.#scene.undo(1 + this.#random.below(Math.min(5, this.#scene.height)));
        return;
      case 8:
        return void (await pool.drop(hashes, this.#random.pick(['expired', { app: 'withdrawn' }] as const)));
      case 9:
        await pool.markInflight(hashes);
        return void (await pool.release(hashes.slice(1)));
      case 10:
      case 11:
        return this.#as((process) => process.catchUp());
      case 12:
        return this.#move();
      default:
        return this.#release();
    }
  }

  #new(): Payment {
    const [from = 'a', to = 'b'] = this.#random.shuffled(['a', 'b', 'c']);
    const payment = encode({ from, to, amount: 1 + this.#random.below(60), nonce: this.#nonce++ });
    this.#payments.push(payment);
    return payment;
  }

  #some(): Payment[] {
    return this.#random.shuffled(this.#payments.slice(-12)).slice(0, this.#random.below(4));
  }

  /** As another process, which may crash or stand still at any of its calls. */
  async #as(work: (process: LedgerPool) => Promise<unknown>): Promise<void> {
    const stalling = stall();
    const meet = this.#random.pick([crash, stalling.meet]);
    const fault: Fault = { at: 1 + this.#random.below(24), when: this.#random.pick(['before', 'after']), meet };
    const seen = new FaultyProcess(this.#random.below(3) === 0 ? null : fault);
    const process = ledgerPool(seen.sees(this.#scene.pool), seen.sees(this.#scene.ledger), this.#scene.options);
    const done = work(process).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    const isDone = await Promise.race([done.then(() => true), idle()]);
    if (!isDone) this.#stalled.push({ release: stalling.release, done });
  }

  async #release(): Promise<void> {
    const [chosen] = this.#stalled.splice(this.#random.below(this.#stalled.length), 1);
    chosen?.release();
    await chosen?.done;
  }

  async #move(): Promise<void> {
    const [source = 'a', destination = 'b'] = this.#random.shuffled(['a', 'b', 'c', '~vault']);
    const amount = BigInt(1 + this.#random.below(80));
    await this.#scene.ledger.transfer({ id: `move ${this.#nonce++}`, source, destination, amount, currency: 'EUR' });
  }
}

/** False, once a process in memory that has not ended by now stands still. */
async function idle(): Promise<boolean> {
  for (let turns = 0; turns < 40; turns++) await new Promise((resolve) => void setImmediate(resolve));
  return false;
}
