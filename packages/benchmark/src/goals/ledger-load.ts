import { randomUUID } from 'node:crypto';
import type { Ledger } from 'mempool-ledger';
import type { LedgerSubject } from '../setup/subject.ts';
import { type head, inTurn, type Measure, timed } from './measure.ts';

const currency = 'COIN';
/** What the callers of a busy service are taken for. */
export const callers = 64;
/** The wallets of a small ledger. */
export const few = 1_000;
/** A batch of the fillers. */
const each = 500;

export function walletName(n: number): string {
  return `wallet-${n}`;
}

/** Two different wallets for the `n`th transfer, spread over all of them. */
export function pairOf(n: number, wallets: number): readonly [source: number, destination: number] {
  const source = (n * 7919) % wallets;
  return [source, (source + 1 + (n % (wallets - 1))) % wallets];
}

/** Runs so many jobs by callers of which each waits for its answer. @returns the milliseconds that all take */
export function byCallers(count: number, job: () => Promise<void>, at: number = callers): Promise<number> {
  let left = count;
  const caller = async () => {
    for (; left > 0; await job()) left -= 1;
  };
  return timed(() => Promise.all(Array.from({ length: at }, caller)));
}

/** A ledger of its own with so many wallets, each with one transfer in it. */
export class FilledLedger {
  readonly #subject: LedgerSubject;
  readonly #name = randomUUID();
  readonly #wallets: number;
  #ledger: Ledger | null = null;
  #made = 0;

  constructor(subject: LedgerSubject, wallets: number = few) {
    this.#subject = subject;
    this.#wallets = wallets;
  }

  /** Makes the wallets, with money out of the vault for each. */
  async fill(): Promise<void> {
    const ledger = await this.#subject.ledger({ name: this.#name, currency });
    this.#ledger = ledger;
    const amount = 1_000_000n;
    for (let from = 0; from < this.#wallets; from += each) {
      const ids = Array.from({ length: Math.min(each, this.#wallets - from) }, (_, n) => walletName(from + n));
      await Promise.all(ids.map((id) => ledger.createWallet({ id, owner: `owner of ${id}`, currency })));
      const calls = ids.map((destination) => ({ id: randomUUID(), source: 'vault', destination, amount, currency }));
      await ledger.batch(calls.map((call) => ({ ...call, kind: 'transfer' })));
    }
  }

  /** Milliseconds that so many transfers take. */
  transfersMs(count: number, at: number = callers): Promise<number> {
    return byCallers(count, () => this.#transfer(), at);
  }

  async close(): Promise<void> {
    await this.#ledger?.close();
    await this.#subject.destroy?.(this.#name);
  }

  async #transfer(): Promise<void> {
    this.#made += 1;
    const [source, destination] = pairOf(this.#made, this.#wallets).map(walletName) as [string, string];
    const call = { id: randomUUID(), source, destination, amount: 1n, currency };
    const answer = await this.#ledger?.transfer(call);
    if (answer?.outcome !== 'created') throw new Error(`a transfer was refused: ${answer?.outcome}`);
  }
}

/** As many transfers on a ledger with many wallets and transfers, and on one with few. */
export function flatness(
  measure: ReturnType<typeof head>,
  subject: LedgerSubject,
  many: number,
  count: number,
): Measure {
  const [large, small] = [new FilledLedger(subject, many), new FilledLedger(subject)];
  return {
    ...measure,
    async prepare() {
      await large.fill();
      await small.fill();
    },
    sample: (round) =>
      inTurn(
        round,
        () => large.transfersMs(count),
        () => small.transfersMs(count),
      ),
    async end() {
      await large.close();
      await small.close();
    },
  };
}
