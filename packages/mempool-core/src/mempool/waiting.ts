import { checkHash, checkHashes, checkRead } from '../boundary/arguments.ts';
import { callNames } from '../boundary/option-names.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import type { TransactionStatus } from '../contract/transaction.ts';
import { ChangeSignals } from './change-signal.ts';
import { Gossip, type GossipOptions } from './gossip.ts';
import type { PoolCalls } from './pool-calls.ts';
import type { PoolReads } from './pool-reads.ts';
import { checkGoal, type Waited, Waiters, type WaitOptions } from './waiters.ts';
import { Watch } from './watch.ts';

/** All waits for changes of the pool. Waits share subscriptions. */
export class Waiting {
  readonly #calls: PoolCalls;
  readonly #reads: PoolReads;
  readonly #waiters: Waiters;
  readonly #changeSignals: ChangeSignals;

  constructor(calls: PoolCalls, reads: PoolReads) {
    this.#calls = calls;
    this.#reads = reads;
    this.#waiters = new Waiters(reads);
    this.#changeSignals = new ChangeSignals(reads);
  }

  async waitFor(hash: string, options: WaitOptions | undefined): Promise<Waited> {
    this.#calls.assertOpen();
    const { signal } = checkRead(options, callNames.wait);
    const goal = checkGoal(options);
    const own = checkHash('hash', hash);
    signal?.throwIfAborted();
    return this.#waiters.wait(own, goal, signal);
  }

  async waitForPending(options: ReadOptions | undefined): Promise<void> {
    this.#calls.assertOpen();
    const { signal } = checkRead(options);
    signal?.throwIfAborted();
    const changes = await this.#changeSignals.hold(signal);
    try {
      for (let { version } = changes; !(await this.#reads.hasPending({ signal })); { version } = changes)
        await this.#changeSignals.next(changes, version, signal);
    } finally {
      this.#changeSignals.release(changes);
    }
  }

  watch(hashes: readonly string[], options: ReadOptions | undefined): AsyncIterable<TransactionStatus> {
    const own = checkHashes('hashes', hashes, Number.POSITIVE_INFINITY);
    return new Watch(this.#reads, own, checkRead(options));
  }

  gossip(peer: string, options: GossipOptions | undefined): Gossip {
    return new Gossip(this.#reads, this.#changeSignals, peer, options);
  }

  /** Wakes all waiters after a change that writes no event. */
  wake(): void {
    this.#changeSignals.notify();
  }

  /** Rejects the waits that are left once `closed` settles. `closed` rejects if the store could not be closed. */
  async end(closed: Promise<void>): Promise<void> {
    try {
      await closed;
    } catch (error) {
      this.#waiters.failAll(error);
      throw error;
    }
    await this.#waiters.close();
  }
}
