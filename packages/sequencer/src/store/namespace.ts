import type { Mempool } from 'mempool-core';
import { type PoolNames, poolNames } from './names.ts';
import { Records } from './records.ts';

/** Options of a pool to open. */
export interface OpeningOptions {
  /** The most transactions that the pool holds. Only epochs' pools have it, if the namespace has. */
  readonly maxTxs?: number;
}

/** Options of `openNamespace`. */
export interface NamespaceOptions {
  /** The protocol of the epochs, a part of all names. */
  readonly protocol: string;
  /** The market of the epochs, a part of all names. */
  readonly market: string;
  /**
   * Opens a fifo pool, and makes it if it is new. A pool of the name must be the same on every node of a validator, and must have the
   * store's clock: windows are kept by it, so never give the pool a `now`. The namespace closes what it has opened.
   */
  readonly openPool: (name: string, options: OpeningOptions) => Promise<Mempool>;
  /** Removes a pool with all that it holds. It is closed already, and may be gone. */
  readonly removePool: (name: string) => Promise<void>;
  /** The most submissions of an epoch, the same on every node; default: as `openPool` makes it. More are answered `full`. */
  readonly maxTxs?: number | undefined;
  /** The clock of this process, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

interface OpenEpoch {
  readonly pool: Promise<Mempool>;
  /** How many use it now. */
  users: number;
}

/** The pools and records of one protocol and market. Two namespaces share nothing. */
export class Namespace implements AsyncDisposable {
  readonly names: PoolNames;
  readonly records: Records;
  /** Work items: the parts of tallies. */
  readonly parts: Mempool;
  /** Batches of other validators. */
  readonly incoming: Mempool;
  /** This validator's batches, to be sent to the others. */
  readonly outgoing: Mempool;
  readonly now: () => number;
  readonly #options: NamespaceOptions;
  readonly #control: Mempool;
  readonly #epochs = new Map<number, OpenEpoch>();

  constructor(options: NamespaceOptions, names: PoolNames, [control, parts, incoming, outgoing]: Opened) {
    this.#options = options;
    this.names = names;
    this.#control = control;
    this.records = new Records(control);
    this.parts = parts;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.now = options.now ?? Date.now;
  }

  /** Gives the pool of an epoch to the work. It is opened if it is not, and stays open until the work has ended. */
  async withEpoch<T>({ epoch }: { readonly epoch: number }, work: (pool: Mempool) => T | Promise<T>): Promise<T> {
    const open = this.#epochs.get(epoch) ?? this.#open(epoch);
    open.users += 1;
    try {
      return await work(await open.pool);
    } finally {
      open.users -= 1;
    }
  }

  #open(epoch: number): OpenEpoch {
    const { openPool, maxTxs } = this.#options;
    const pool = openPool(this.names.epoch(epoch), maxTxs === undefined ? {} : { maxTxs });
    const open = { pool, users: 0 };
    this.#epochs.set(epoch, open);
    pool.catch(() => this.#epochs.delete(epoch));
    return open;
  }

  /** Closes the epochs' pools that nobody uses now, but these. A pool is opened again if somebody asks for it. */
  async closeOthers(epochs: readonly number[]): Promise<void> {
    for (const [epoch, open] of [...this.#epochs]) {
      // While another one was closed, somebody may have closed this one and opened it again.
      const isOpen = this.#epochs.get(epoch) === open;
      if (isOpen && open.users === 0 && !epochs.includes(epoch)) await this.#closeEpoch(epoch);
    }
  }

  async #closeEpoch(epoch: number): Promise<void> {
    const open = this.#epochs.get(epoch);
    this.#epochs.delete(epoch);
    await (await open?.pool)?.close();
  }

  /** Closes the pool of an epoch and removes it with all that it holds. */
  async removeEpoch(epoch: number): Promise<void> {
    await this.#closeEpoch(epoch);
    await this.#options.removePool(this.names.epoch(epoch));
  }

  /** Closes all pools. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(Array.from(this.#epochs.values(), ({ pool }) => pool));
    const epochs = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    await closeAll([...epochs, this.outgoing, this.incoming, this.parts, this.#control]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

type Opened = readonly [control: Mempool, parts: Mempool, incoming: Mempool, outgoing: Mempool];

/**
 * Opens the pools of a namespace.
 * @throws any error of `openPool`, after the pools that were opened before are closed; `RangeError` as `poolNames`
 */
export async function openNamespace(options: NamespaceOptions): Promise<Namespace> {
  const names = poolNames(options.protocol, options.market);
  const opened: Mempool[] = [];
  try {
    const open = async (name: string): Promise<Mempool> => {
      const pool = await options.openPool(name, {});
      opened.push(pool);
      return pool;
    };
    const { control, parts, incoming, outgoing } = names;
    return new Namespace(options, names, [
      await open(control),
      await open(parts),
      await open(incoming),
      await open(outgoing),
    ]);
  } catch (error) {
    await closeAll(opened).catch(() => undefined);
    throw error;
  }
}

/** Closes each, even if one before it fails. @throws the first error */
async function closeAll(pools: readonly Mempool[]): Promise<void> {
  const closed = await Promise.allSettled(pools.map((pool) => pool.close()));
  for (const each of closed) if (each.status === 'rejected') throw each.reason;
}
