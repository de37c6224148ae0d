import { randomUUID } from 'node:crypto';
import type { Ledger } from 'mempool-ledger';
import { atMost, type BenchContext } from '../setup/context.ts';
import { type LedgerSubject, loadLedger } from '../setup/subject.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

const backend = { name: 'sqlite' };
const callers = 64;
const few = 1_000;
const currency = 'COIN';

export function sqliteLedgerGoals(context: BenchContext): Measure[] {
  return [coalescing(), flatness(atMost(context, 100_000))];
}

/** What many callers at once gain from sharing a sync of the disk. */
function coalescing(): Measure {
  const ledger = new FilledLedger(few);
  return {
    ...head(
      backend,
      `ledger: transfer by one caller ÷ by ${callers} at once, synchronous = FULL`,
      ['at least', 10],
      '×',
      9,
    ),
    prepare: () => ledger.fill(),
    sample: (round) =>
      inTurn(
        round,
        () => timed(() => ledger.pay(callers, 1)),
        () => timed(() => ledger.pay(callers, callers)),
      ),
    end: () => ledger.close(),
  };
}

function flatness(many: number): Measure {
  const [small, large] = [new FilledLedger(few), new FilledLedger(many)];
  const title = `ledger: transfer by ${callers} callers with ${many.toLocaleString('en')} wallets and transfers ÷ with ${few.toLocaleString('en')}`;
  const pay = (ledger: FilledLedger) => () => timed(() => ledger.pay(callers * 10, callers));
  return {
    ...head(backend, title, ['at most', 2], '×', 9),
    async prepare() {
      await small.fill();
      await large.fill();
    },
    sample: (round) => inTurn(round, pay(large), pay(small)),
    async end() {
      await small.close();
      await large.close();
    },
  };
}

/** A ledger with so many wallets, each with one transfer in it. */
class FilledLedger {
  readonly #name = `bench-${randomUUID()}`;
  readonly #wallets: number;
  #ledgers: LedgerSubject | null = null;
  #ledger: Ledger | null = null;
  #next = 0;

  constructor(wallets: number) {
    this.#wallets = wallets;
  }

  async fill(): Promise<void> {
    this.#ledgers = await loadLedger('sqlite');
    const ledger = await this.#ledgers.ledger({ name: this.#name, currency });
    this.#ledger = ledger;
    for (let first = 0; first < this.#wallets; first += 1_000) {
      const ids = Array.from({ length: 1_000 }, (_, n) => `w${first + n}`);
      await Promise.all(ids.map((id) => ledger.createWallet({ id, owner: id, currency })));
      await ledger.batch(
        ids.map((destination) => ({
          kind: 'transfer',
          id: randomUUID(),
          source: 'vault',
          destination,
          amount: 1_000_000n,
          currency,
        })),
      );
    }
  }

  /** So many transfers between wallets all over the ledger, by callers that each wait for their answer. */
  async pay(transfers: number, at: number): Promise<void> {
    await Promise.all(Array.from({ length: at }, () => this.#payInTurn(transfers / at)));
  }

  async close(): Promise<void> {
    await this.#ledger?.close();
    await this.#ledgers?.destroy?.(this.#name);
  }

  async #payInTurn(transfers: number): Promise<void> {
    for (let n = 0; n < transfers; n++) {
      const [source, destination] = [this.#walletAt(this.#next), this.#walletAt(this.#next + 1)];
      this.#next += 2;
      const answer = await this.#ledger?.transfer({ id: randomUUID(), source, destination, amount: 1n, currency });
      if (answer?.outcome !== 'created') throw new Error(`a transfer was refused: ${answer?.outcome}`);
    }
  }

  /** A stride that meets every wallet. */
  #walletAt(n: number): string {
    return `w${(n * 7_919) % this.#wallets}`;
  }
}
