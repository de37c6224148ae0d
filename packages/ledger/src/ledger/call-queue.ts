import { isLedgerError } from '../contract/errors.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { TransferRequest } from '../contract/request.ts';
import type { LedgerStore, StoreAnswer } from '../contract/store.ts';

interface Waiting {
  readonly request: TransferRequest;
  /** Resolves the call. `undefined` means that the store returned too few answers. */
  readonly resolve: (answer: StoreAnswer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends calls to the store, in order. Calls made while the store is busy are sent together, so they share one sync of the disk. */
export class CallQueue {
  readonly #store: LedgerStore;
  readonly #waiting: Waiting[] = [];
  #work: Promise<void> | null = null;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  add(request: TransferRequest): Promise<StoreAnswer | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      // The other calls of this turn come along.
      this.#work ??= Promise.resolve().then(() => this.#handOver());
    });
  }

  /** Resolves when no call waits for its answer. */
  async idle(): Promise<void> {
    await this.#work;
  }

  async #handOver(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#carryOut(this.#waiting.splice(0, ledgerLimits.maxBatch));
    }
    this.#work = null;
  }

  async #carryOut(calls: readonly Waiting[]): Promise<void> {
    try {
      const requests = calls.map(({ request }) => request);
      const answers = await this.#store.execute(requests, { linked: false });
      for (const [index, { resolve }] of calls.entries()) resolve(answers[index]);
    } catch (error) {
      if (calls.length > 1 && isOfOne(error)) for (const call of calls) await this.#carryOut([call]);
      else for (const { reject } of calls) reject(error);
    }
  }
}

/** Whether what failed may lie at one call of several, with nothing changed: it needs a damaged record, or room that others do not need. */
function isOfOne(error: unknown): boolean {
  return isLedgerError(error, 'ERR_LEDGER_CORRUPT') || isLedgerError(error, 'ERR_LEDGER_STORE_FULL');
}
