import type { BareRanking, RankingLimit } from '../limits/ranking.ts';
import { type Priced, pricedTransactions } from './ranked-sample.ts';
import { batches } from './sample.ts';
import { Standings } from './standings.ts';
import type { Turn } from './workload.ts';

const callSize = 1_000;

/** A bare ranking that is full, and what beats the worst in it. */
export class FilledRanking {
  readonly name: string;
  readonly standings: Standings;
  readonly #ranking: BareRanking;

  private constructor(name: string, ranking: BareRanking, standings: Standings) {
    this.name = name;
    this.standings = standings;
    this.#ranking = ranking;
  }

  static async fill({ name, open }: RankingLimit, n: number): Promise<FilledRanking> {
    const ranking = await open();
    const priorities = new BigInt64Array(n);
    for (let start = 0; start < n; start += callSize) {
      const transactions = pricedTransactions(Math.min(n - start, callSize));
      priorities.set(
        transactions.map(({ verdict }) => verdict.priority),
        start,
      );
      await ranking.fill(transactions);
    }
    return new FilledRanking(name, ranking, new Standings(priorities));
  }

  /** Newcomers that push out the worst, call by call; a ranking that needs no waiting is not waited for. */
  evicting(count: number, size: number): Turn {
    const newcomers = this.standings.better(count);
    const calls = batches(newcomers, size);
    return {
      count: newcomers.length,
      run: () => this.#admitAll(calls),
      undo: () => this.standings.replaced(newcomers),
    };
  }

  async close(): Promise<void> {
    await this.#ranking.close();
  }

  async #admitAll(calls: readonly Priced[][]): Promise<void> {
    for (const call of calls) {
      const done = this.#ranking.admit(call);
      if (done instanceof Promise) await done;
    }
  }
}
