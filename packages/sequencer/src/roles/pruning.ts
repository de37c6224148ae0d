import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from 'mempool-core';
import type { Namespace } from '../store/namespace.ts';
import { DeposedError, maxTotalBytes } from '../store/records.ts';
import { forgetEpochs, type RetentionOptions } from './retention.ts';

/** Options of `Pruning`. */
export interface PruningOptions extends RetentionOptions {
  /** How often old epochs are forgotten, in milliseconds; default 600,000. */
  readonly pruneMs?: number | undefined;
  /** Receives an error of a removal or of `archive`, and a `RecordsFillingError`. Without it an error ends `run`. */
  readonly report?: ((error: unknown, epoch: null) => void) | undefined;
}

/** The records of a namespace are nearly full. When they are, no epoch opens. */
export class RecordsFillingError extends Error {
  /** The bytes of all names and values. */
  readonly bytes: number;

  constructor(bytes: number) {
    super(`the records have ${bytes} of ${maxTotalBytes} bytes: keep epochs for a shorter time, or give an archive`);
    this.name = 'RecordsFillingError';
    this.bytes = bytes;
  }
}

/** Forgets old epochs while this process leads, and warns when three quarters of the room for records are used. */
export class Pruning {
  readonly #namespace: Namespace;
  readonly #options: PruningOptions;
  #recordBytes = 0;

  constructor(namespace: Namespace, options: PruningOptions) {
    this.#namespace = namespace;
    this.#options = options;
  }

  /** The bytes of all records after the last pruning by this process; 0 before. */
  get recordBytes(): number {
    return this.#recordBytes;
  }

  /** Prunes at once and then again and again, until the signal aborts. @throws `DeposedError`; without `report` any other error */
  async run(lease: Lease, signal: AbortSignal): Promise<void> {
    const { report, pruneMs = 600_000 } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#prune(lease);
      } catch (error) {
        if (report === undefined || error instanceof DeposedError) throw error;
        report(error, null);
      }
      await delay(pruneMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #prune(lease: Lease): Promise<void> {
    await forgetEpochs(this.#namespace, lease, this.#options);
    this.#recordBytes = await this.#namespace.records.bytes();
    if (this.#recordBytes > maxTotalBytes * 0.75)
      this.#options.report?.(new RecordsFillingError(this.#recordBytes), null);
  }
}
