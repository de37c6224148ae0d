import type { Logger } from 'mempool-core';
import { isLedgerError, type Ledger, type SweepAnswer } from '../index.ts';

/** Options of `LedgerKeeper.start`. */
export interface KeeperOptions {
  readonly sweepMs: number;
  /** If true, records older than the retention are trimmed. */
  readonly trims: boolean;
  readonly log?: Logger | undefined;
  /** Called with the number of reservations that expired, or of records that were trimmed. */
  swept(action: 'expired' | 'trimmed', count: number): void;
}

/**
 * Expires reservations whose time has come and trims records, at intervals. Several servers may do so on one ledger, because
 * each step is an atomic step of the store.
 */
export class LedgerKeeper implements AsyncDisposable {
  readonly #ledger: Ledger;
  readonly #options: KeeperOptions;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #round: Promise<void>;
  #fault: string | null = null;

  private constructor(ledger: Ledger, options: KeeperOptions) {
    this.#ledger = ledger;
    this.#options = options;
    this.#round = this.#run();
  }

  static start(ledger: Ledger, options: KeeperOptions): LedgerKeeper {
    return new LedgerKeeper(ledger, options);
  }

  /** Resolves when the round that is under way has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer ?? undefined);
    await this.#round;
  }

  async #run(): Promise<void> {
    try {
      await this.#repeat('expired', () => this.#ledger.sweep());
      if (this.#options.trims) await this.#repeat('trimmed', () => this.#ledger.trim());
      this.#fault = null;
    } catch (error) {
      this.#tell(error);
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#run();
    }, this.#options.sweepMs).unref();
  }

  async #repeat(action: 'expired' | 'trimmed', step: () => Promise<SweepAnswer>): Promise<void> {
    for (let more = true; more && !this.#isStopped; ) {
      const answer = await step();
      if (answer.count > 0) this.#options.swept(action, answer.count);
      more = answer.more;
    }
  }

  /** Once, as long as it stays the same. */
  #tell(error: unknown): void {
    const code = isLedgerError(error) ? error.code : 'ERR_SERVER_INTERNAL';
    if (code === this.#fault) return;
    this.#fault = code;
    this.#options.log?.('error', 'the ledger could not be swept', { code, error: String(error) });
  }
}
